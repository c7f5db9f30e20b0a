/** Datasets of files in a directory tree, labelled by directory. */
@NullMarked
package io.penstock.folder;

import org.jspecify.annotations.NullMarked;

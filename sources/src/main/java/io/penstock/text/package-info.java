/** Datasets of the lines of text files, over any store. */
@NullMarked
package io.penstock.text;

import org.jspecify.annotations.NullMarked;

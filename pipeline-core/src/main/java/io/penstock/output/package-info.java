/** Where finished bytes go: a folder, or a prefix of a bucket. */
@NullMarked
package io.penstock.output;

import org.jspecify.annotations.NullMarked;

/** Datasets of the rows of arrays in files: NumPy's and MNIST's formats. */
@NullMarked
package io.penstock.array;

import org.jspecify.annotations.NullMarked;

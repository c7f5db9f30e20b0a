/** Trains a small convolutional network on labelled pictures, through a whole pipeline. A program to copy. */
@NullMarked
package io.penstock.train;

import org.jspecify.annotations.NullMarked;

/**
 * Samples as a function of a draw: datasets by index, pipelines by (seed, epoch, index), and the ordered stream of
 * both.
 */
@NullMarked
package io.penstock.pipeline;

import org.jspecify.annotations.NullMarked;

/** Experiments whose figures are drawn: what is measured, kept, and shown in charts beside what theory says. */
@NullMarked
package io.penstock.bench.figures;

import org.jspecify.annotations.NullMarked;

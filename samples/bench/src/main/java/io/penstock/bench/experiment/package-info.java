/** What an experiment is: trials that are measured, kept, and drawn in charts beside what theory says. */
@NullMarked
package io.penstock.bench.experiment;

import org.jspecify.annotations.NullMarked;

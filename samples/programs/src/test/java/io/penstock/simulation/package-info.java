/**
 * A deterministic simulation: whole streams on one seeded single-threaded scheduler, with faults at every boundary.
 *
 * <p>A seed decides everything: the pipeline, the caches, the consumers, the order of all tasks, the clock and the
 * faults. So a failure is repeated by its seed. The method is that of FoundationDB's and TigerBeetle's simulators.
 */
@NullMarked
package io.penstock.simulation;

import org.jspecify.annotations.NullMarked;

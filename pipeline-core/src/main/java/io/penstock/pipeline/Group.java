package io.penstock.pipeline;

import java.util.List;

/**
 * Samples that were loaded together.
 *
 * @param number  of the group in its {@link Grouping}
 * @param samples in the order of {@link Grouping#members}
 */
public record Group<T>(long number, List<T> samples) {

    public Group {
        samples = List.copyOf(samples);
    }
}

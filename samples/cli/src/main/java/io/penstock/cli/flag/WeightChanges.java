package io.penstock.cli.flag;

import io.penstock.order.Proportions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Weights of a mixture by the number of the draw, as {@code --weights-at} says them: {@code 0:0.9,0.1;50000:0.5,0.5}.
 */
public record WeightChanges(List<Entry> entries) {

    /** Weights from a draw on. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Entry(long draw, double[] weights) {}

    public WeightChanges {
        entries = List.copyOf(entries);
    }

    /**
     * Reads what a flag says.
     * @throws IllegalArgumentException if it is none
     */
    public static WeightChanges parse(String text) {
        List<Entry> entries = new ArrayList<>();
        for (String each : text.split(";", -1)) {
            if (!each.matches("\\d{1,12}:[^:]+")) {
                throw new IllegalArgumentException(
                        "draws with their weights, such as 0:0.9,0.1;50000:0.5,0.5, were expected, was \"%s\""
                                .formatted(text));
            }
            long draw = Long.parseLong(each.substring(0, each.indexOf(':')));
            long least = entries.isEmpty() ? 0 : entries.get(entries.size() - 1).draw + 1;
            if (entries.isEmpty() ? draw != 0 : draw < least) {
                throw new IllegalArgumentException(
                        "draws must ascend from 0 on, was \"%s\" where %d or more was expected".formatted(text, least));
            }
            double[] weights = Arrays.stream(
                            each.substring(each.indexOf(':') + 1).split(",", -1))
                    .mapToDouble(weight -> weight.equals("0") ? 0 : new NumberFlag.Weight().convert(weight))
                    .toArray();
            entries.add(new Entry(draw, weights));
        }
        return new WeightChanges(entries);
    }

    /**
     * Checks the numbers of weights.
     * @throws IllegalArgumentException unless each entry has as many weights as there are sources
     */
    public void requireSources(int sources) {
        for (Entry entry : entries) {
            if (entry.weights.length != sources) {
                throw new IllegalArgumentException(
                        "--weights-at needs one weight for each --source: %d for %d at draw %d"
                                .formatted(entry.weights.length, sources, entry.draw));
            }
        }
    }

    /** The proportions by these weights. */
    public Proportions apply(Proportions proportions) {
        Proportions changed = proportions;
        for (Entry entry : entries) {
            changed = changed.weightsAt(entry.draw, entry.weights);
        }
        return changed;
    }
}

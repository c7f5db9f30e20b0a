package io.penstock.cli.flag;

import io.penstock.internal.Arguments;
import io.penstock.order.Proportions;
import java.util.Arrays;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Weights of a mixture by the number of the draw, as {@code --weights-at} says them: {@code 0:0.9,0.1;50000:0.5,0.5}.
 */
public record WeightChanges(SortedMap<Long, double[]> weights) {

    /**
     * Reads what a flag says.
     * @throws IllegalArgumentException if it is none
     */
    public static WeightChanges parse(String text) {
        SortedMap<Long, double[]> weights = new TreeMap<>();
        for (String each : text.split(";", -1)) {
            Arguments.refuse(
                    !each.matches("\\d{1,12}:[^:]+"),
                    "draws with their weights, such as 0:0.9,0.1;50000:0.5,0.5, were expected, was \"%s\"",
                    text);
            long draw = Long.parseLong(each.substring(0, each.indexOf(':')));
            long least = weights.isEmpty() ? 0 : weights.lastKey() + 1;
            boolean falls = draw < least || weights.isEmpty() && draw > 0;
            Arguments.refuse(
                    falls, "draws must ascend from 0 on, was \"%s\" where %d or more was expected", text, least);
            weights.put(
                    draw,
                    Arrays.stream(each.substring(each.indexOf(':') + 1).split(",", -1))
                            .mapToDouble(weight -> weight.equals("0") ? 0 : new NumberFlag.Weight().convert(weight))
                            .toArray());
        }
        return new WeightChanges(weights);
    }

    /**
     * Checks the numbers of weights.
     * @throws IllegalArgumentException unless each entry has as many weights as there are sources
     */
    public void requireSources(int sources) {
        weights.forEach((draw, each) -> Arguments.refuse(
                each.length != sources,
                "--weights-at needs one weight for each --source: %d for %d at draw %d",
                each.length,
                sources,
                draw));
    }

    /** The proportions by these weights. */
    public Proportions apply(Proportions proportions) {
        Proportions changed = proportions;
        for (Map.Entry<Long, double[]> each : weights.entrySet()) {
            changed = changed.weightsAt(each.getKey(), each.getValue());
        }
        return changed;
    }
}

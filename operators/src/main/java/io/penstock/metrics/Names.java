package io.penstock.metrics;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Tags that tell things of one name apart. */
final class Names {

    private Names() {}

    /** The names, of which a second {@code load} becomes {@code load 2}. */
    static List<String> distinct(List<String> names) {
        Map<String, Integer> seen = new HashMap<>();
        List<String> distinct = new ArrayList<>();
        for (String name : names) {
            int number = seen.merge(name, 1, Integer::sum);
            distinct.add(number == 1 ? name : name + " " + number);
        }
        return distinct;
    }
}

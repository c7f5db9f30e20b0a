package io.penstock.bench.torture;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What was done to the jobs, and what came of it. Thread-safe. */
final class Toll {

    private static final List<String> JOBS = List.of("jobs", "batches", "samples");
    private static final List<String> FAULTS = List.of("wrong epochs", "hangs", "failures");

    private final Map<String, Long> counts = new ConcurrentSkipListMap<>();

    void add(String what, long more) {
        counts.merge(what, more, Long::sum);
    }

    /** All figures in one line: of the jobs, of what was done to them, and of what went wrong. */
    String line() {
        List<String> harms = counts.keySet().stream()
                .filter(what -> !JOBS.contains(what) && !FAULTS.contains(what))
                .toList();
        return Stream.of(JOBS, harms, FAULTS)
                .map(group -> group.stream()
                        .map(what -> counts.getOrDefault(what, 0L) + " " + what)
                        .collect(Collectors.joining(", ")))
                .collect(Collectors.joining("; "));
    }
}

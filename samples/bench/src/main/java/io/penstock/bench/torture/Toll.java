package io.penstock.bench.torture;

import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What was done to the jobs, and what came of it. Thread-safe. */
public final class Toll {

    private final Map<Of, LongAdder> counts = new ConcurrentHashMap<>();

    enum Of {
        KILLED,
        TERMINATED,
        STOPPED,
        OUT_OF_MEMORY,
        BITS_FLIPPED,
        FILES_CUT,
        FILES_REPLACED,
        DISKS_FILLED,
        REDIS_KILLED,
        REDIS_POISONED,
        JOBS,
        UNSOUND_JOBS,
        BATCHES,
        SAMPLES,
        WRONG_EPOCHS,
        /** Processes that stood still. */
        HANGS,
        /** Processes that gave up by themselves, without a cause that allows it. */
        FAILURES;

        String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    Toll() {}

    void add(Of what, long more) {
        counts.computeIfAbsent(what, first -> new LongAdder()).add(more);
    }

    long count(Of what) {
        LongAdder count = counts.get(what);
        return count == null ? 0 : count.sum();
    }

    /** Whether all jobs delivered what they had to. */
    public boolean isSound() {
        return count(Of.UNSOUND_JOBS) == 0;
    }

    /** All figures in one line. */
    public String line() {
        return "%s, %s, %s; %s; %s, %s, %s"
                .formatted(
                        words(Of.JOBS),
                        words(Of.BATCHES),
                        words(Of.SAMPLES),
                        Stream.of(Of.values())
                                .takeWhile(done -> done != Of.JOBS)
                                .map(this::words)
                                .collect(Collectors.joining(", ")),
                        words(Of.WRONG_EPOCHS),
                        words(Of.HANGS),
                        words(Of.FAILURES));
    }

    private String words(Of what) {
        return count(what) + " " + what.label();
    }
}

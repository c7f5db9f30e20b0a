package io.penstock.bench.torture;

import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What was done to the jobs, and what came of it. Thread-safe. */
public final class Toll {

    private final Map<Harm, Long> harms = new ConcurrentHashMap<>();
    private final AtomicLong jobs = new AtomicLong();
    private final AtomicLong unsound = new AtomicLong();
    private final AtomicLong batches = new AtomicLong();
    private final AtomicLong samples = new AtomicLong();
    private final AtomicLong wrong = new AtomicLong();
    private final AtomicLong hangs = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();

    Toll() {}

    void done(Harm harm) {
        harms.merge(harm, 1L, Long::sum);
    }

    void delivered(long inBatch) {
        batches.incrementAndGet();
        samples.addAndGet(inBatch);
    }

    void wrongEpoch() {
        wrong.incrementAndGet();
    }

    void hang() {
        hangs.incrementAndGet();
    }

    void failure() {
        failures.incrementAndGet();
    }

    void jobEnded(boolean sound) {
        jobs.incrementAndGet();
        if (!sound) {
            unsound.incrementAndGet();
        }
    }

    public long jobs() {
        return jobs.get();
    }

    /** Processes that stood still. */
    public long hangs() {
        return hangs.get();
    }

    /** Processes that gave up by themselves, without a cause that allows it. */
    public long failures() {
        return failures.get();
    }

    /** Whether all jobs delivered what they had to. */
    public boolean isSound() {
        return unsound.get() == 0;
    }

    /** All figures in one line. */
    public String line() {
        String done = Stream.of(Harm.values())
                .map(harm -> harms.getOrDefault(harm, 0L) + " " + harm.label())
                .collect(Collectors.joining(", "));
        return String.format(
                Locale.ROOT,
                "%d jobs, %d batches, %d samples; %s; %d wrong epochs, %d hangs, %d failures",
                jobs.get(),
                batches.get(),
                samples.get(),
                done,
                wrong.get(),
                hangs.get(),
                failures.get());
    }
}

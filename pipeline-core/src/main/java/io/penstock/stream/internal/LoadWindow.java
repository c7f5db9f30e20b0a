package io.penstock.stream.internal;

import io.penstock.stream.Execution;
import io.penstock.stream.LoadsInFlight;
import io.penstock.stream.LoadsInFlight.Bound;
import io.penstock.stream.ReadAhead;
import io.penstock.stream.Sample;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Scheduler;

/**
 * How many loads one stream has in flight: a number that was set, or what a {@link WindowRule} makes of what is measured
 * here.
 *
 * <p>Only loads are measured, and of many loads a part; a sample that is at hand costs nothing. The bytes of a sample
 * are not known before it is there: a stream begins with one load, and then counts each as the largest recent one.
 */
final class LoadWindow {

    /** The most that a stream sets itself; of samples whose size is unknown, a quarter. */
    static final int MOST = 2048;

    private static final int LEAST_A_WORKER = 4;
    private static final long STEP_NANOS = 250_000_000;
    private static final int KEPT = 4096;
    private static final int A_STEP = KEPT / 4;
    private static final int STEPS = 16; // whose latencies count: rare slow loads have to be among them
    private static final long SPREAD = 0x9E3779B97F4A7C15L; // loads that are slow at regular distances are met
    private static final int FORGETTING = 7;
    private static final long NEVER = Long.MIN_VALUE;

    private final @Nullable WindowRule rule;
    private final long budget;
    private final ToLongFunction<Object> sizes;
    private final @Nullable ReadAhead<?> readAhead;
    private final Scheduler workers;
    private final AtomicLongArray latencies;
    private final AtomicLong measured = new AtomicLong();
    private final AtomicLong largest = new AtomicLong();

    private @Nullable ReadAheadBytes<?> held; // set before the run begins
    private volatile int size;
    private volatile int fit; // samples of the largest recent size in the budget
    private volatile boolean unsized;
    private volatile Bound bound;
    private volatile int skipped; // a load is measured where the bits of this are 0 in its number
    private volatile long lastStep;
    private volatile boolean due;

    // of the draining thread
    private final long[] measuredBefore = new long[STEPS];
    private int steps;
    private long deliveredBefore;
    private long waitingSince = NEVER;
    private long stalled;

    /**
     * As an execution says; without a bound of its own the samples take an eighth of the heap.
     * @param groupSize how many draws are begun at once where that pays
     */
    @SuppressWarnings("unchecked") // of the samples of the stream
    LoadWindow(Execution execution, int groupSize, @Nullable ReadAhead<?> readAhead) {
        boolean tuned = execution.tuned();
        this.size = execution.inFlight();
        this.workers = execution.workers();
        this.readAhead = readAhead;
        this.rule = tuned ? new WindowRule(size, LEAST_A_WORKER * execution.parallelism() * groupSize, MOST) : null;
        this.budget = readAhead == null ? Runtime.getRuntime().maxMemory() / 8 : readAhead.bytes();
        this.sizes = readAhead == null ? SampleBytes::of : (ToLongFunction<Object>) readAhead.size();
        this.fit = tuned ? 1 : size;
        this.unsized = tuned;
        this.bound = tuned ? Bound.START : Bound.SET;
        this.latencies = new AtomicLongArray(tuned ? KEPT : 0);
        this.lastStep = clock();
    }

    private long clock() {
        return workers.now(TimeUnit.NANOSECONDS); // which a simulation sets
    }

    /** Called once, with the capacity of the stream's ring of draws. */
    void slots(int capacity) {
        if (readAhead != null) {
            held = new ReadAheadBytes<>(readAhead, capacity);
        }
    }

    /** The number now; any thread. */
    int size() {
        return Math.min(size, fit);
    }

    /** The number is never larger. */
    int capacity() {
        return rule == null ? size : MOST;
    }

    LoadsInFlight now() {
        int now = size();
        return new LoadsInFlight(now, now < size && !unsized ? Bound.BYTES : bound);
    }

    /** When a load begins, if it is to be measured; or 0. */
    long begins(long number) {
        return rule != null && (((number * SPREAD) >>> 40) & skipped) == 0 ? clock() : 0;
    }

    /** The number of the first draw that the bytes of a {@link ReadAhead} do not allow; any thread. */
    long limit(long turn) {
        return held == null ? Long.MAX_VALUE : Math.max(turn + 1, held.limit());
    }

    /**
     * A draw has its outcome and is not delivered yet; any thread.
     * @param began what {@link #begins} returned; 0 for a sample at hand
     */
    void came(long number, Object outcome, long began) {
        if ((unsized || began != 0) && outcome instanceof Sample<?> sample && sample.isPresent()) {
            sized(sample.value());
        }
        if (began != 0) {
            long now = clock();
            latencies.set((int) measured.getAndIncrement() & (KEPT - 1), now - began);
            if (now - lastStep >= STEP_NANOS) {
                due = true;
            }
        }
        if (held != null) {
            held.came(number, outcome);
        }
    }

    /** A draw was taken out to be delivered. */
    void left(long number) {
        if (held != null) {
            held.left(number);
        }
        if (waitingSince != NEVER) {
            stalled += clock() - waitingSince;
            waitingSince = NEVER;
        }
    }

    private void sized(Object value) {
        long bytes = Math.max(0, sizes.applyAsLong(value));
        long each = largest.updateAndGet(before -> Math.max(bytes, before - (before >> FORGETTING)));
        fit = each == 0 ? MOST / 4 : (int) Math.max(1, Math.min(MOST, budget / each));
        unsized = false;
    }

    /**
     * The consumer has this number of samples. What is wanted of the window may be decided again.
     * @param waits whether it wants more, which are not there yet
     */
    void delivered(long number, boolean waits) {
        if (rule == null) {
            return;
        }
        if (waits && waitingSince == NEVER) {
            waitingSince = clock();
        }
        if (due) {
            decide(rule, number);
        }
    }

    private void decide(WindowRule decides, long number) {
        long now = clock();
        if (waitingSince != NEVER) {
            stalled += now - waitingSince;
            waitingSince = now;
        }
        long last = measured.get();
        long inStep = last - measuredBefore[(steps + STEPS - 1) % STEPS];
        int recent = (int) Math.min(KEPT, last - measuredBefore[steps % STEPS]);
        double[] seconds = IntStream.rangeClosed(1, recent)
                .mapToDouble(i -> latencies.get(((int) last - i) & (KEPT - 1)) / 1e9)
                .toArray();
        long delivered = number - deliveredBefore;
        int before = skipped;
        double share = delivered == 0 ? 1 : Math.min(1, inStep * (before + 1.0) / delivered);
        double took = Math.max(1, now - lastStep) / 1e9;
        size = decides.next(new WindowRule.Step(took, stalled / 1e9, delivered, seconds, share, fit));
        bound = decides.bound();
        if (inStep > A_STEP) {
            skipped = 2 * before + 1;
        } else if (inStep < A_STEP / 4) {
            skipped = before >> 1;
        }
        measuredBefore[steps++ % STEPS] = last;
        deliveredBefore = number;
        stalled = 0;
        lastStep = now;
        due = false;
    }
}

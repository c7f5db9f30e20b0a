package io.penstock.stream.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.order.Draw;
import io.penstock.stream.Execution;
import io.penstock.stream.LoadsInFlight.Bound;
import io.penstock.stream.ReadAhead;
import io.penstock.stream.Sample;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;

/** A stream in virtual time: an in-order window, a source of some slots, a consumer of a pace. */
class LoadWindowTest {

    private static final int LEAST = 4;
    private static final int START = 32;
    private static final long BUDGET = 1L << 30;
    private static final long FAR_UNTIL = 30_000_000_000L;
    private static final Sample<String> SAMPLE = Sample.of(Draw.of(0), "");

    /** What is loaded, and by whom. */
    @SuppressWarnings("ImmutableEnumChecker") // its latencies are functions of what they are given
    private enum Workload {
        NEAR(1000, 5_000, 100_000, constant(1e-4)),
        FAR_5_MS(1000, 12_000, 100_000, constant(5e-3)),
        FAR_50_MS_UNEVEN(1000, 2_000, 100_000, lognormal(50e-3, 0.5)),
        SIXTEEN_SLOTS(16, 1e6, 100_000, constant(5e-3)),
        SIXTY_FOUR_SLOTS(64, 1e6, 100_000, constant(20e-3)),
        ONE_IN_HUNDRED_SLOW(1000, 2_000, 100_000, mostly(5e-3, 0.01, 200e-3)),
        TWO_CORES(2, 1e6, 100_000, constant(1.2e-3)),
        LATER_50_MS(1000, 2_000, 100_000, constant(5e-3)),
        LARGE_OBJECTS_OF_A_SECOND(2000, 300, 1 << 20, lognormal(1, 0.2)),
        SLOW_CONSUMER(1000, 100, 100_000, lognormal(20e-3, 0.3)),
        HUGE_SAMPLES(1000, 1e6, 100 << 20, constant(50e-3)),
        SATURATED_FAR(200, 1e6, 20_000, constant(100e-3)),
        FAR_THEN_FORTY_SLOTS(40, 1e6, 20_000, constant(100e-3));

        final int slots;
        final double pace;
        final long bytes;
        final Latency latency;

        Workload(int slots, double pace, long bytes, Latency latency) {
            this.slots = slots;
            this.pace = pace;
            this.bytes = bytes;
            this.latency = latency;
        }

        double latency(SplittableRandom random, double now) {
            double seconds = latency.of(random);
            return this == LATER_50_MS && now > 1 ? 10 * seconds : seconds;
        }

        /** When half of a run has passed, it is to be tuned: after 5 seconds, or 12 round trips of one. */
        double seconds() {
            return this == LARGE_OBJECTS_OF_A_SECOND ? 24 : 10;
        }
    }

    private interface Latency {
        double of(SplittableRandom random);
    }

    private static Latency constant(double seconds) {
        return random -> seconds;
    }

    private static Latency mostly(double seconds, double share, double rare) {
        return random -> random.nextDouble() < share ? rare : seconds;
    }

    private static Latency lognormal(double median, double sigma) {
        DoubleUnaryOperator exp = Math::exp;
        return random -> {
            double normal =
                    Math.sqrt(-2 * Math.log(1 - random.nextDouble())) * Math.cos(2 * Math.PI * random.nextDouble());
            return median * exp.applyAsDouble(sigma * normal);
        };
    }

    /** Samples a second and the mean window in the last part of a run, and the largest bytes of all of it. */
    private record Outcome(double rate, double window, long bytes, Bound bound) {}

    private static final class Run {
        private final Workload work;
        private final SplittableRandom random = new SplittableRandom(7);
        private final PriorityQueue<long[]> ends = new PriorityQueue<>((a, b) -> Long.compare(a[0], b[0]));
        private final long[] slots; // when each is free
        private final boolean[] loaded = new boolean[2 * LoadWindow.MOST];
        private final LoadWindow window;
        private long now = 1;
        private long turn;
        private long begun;

        /** @param fixed a window, or 0 for one that tunes itself */
        Run(Workload work, int fixed) {
            this.work = work;
            this.slots = new long[work.slots];
            Execution tuned = new Execution(START, new Clock(), LEAST / 4, 0, true);
            this.window = new LoadWindow(
                    fixed > 0 ? tuned.inFlight(fixed) : tuned, 1, new ReadAhead<String>(BUDGET, sample -> work.bytes));
        }

        /** The time of this run. */
        private final class Clock implements Scheduler {
            @Override
            public long now(TimeUnit unit) {
                return unit.convert(now, TimeUnit.NANOSECONDS);
            }

            @Override
            public Disposable schedule(Runnable task) {
                throw new UnsupportedOperationException();
            }

            @Override
            public Worker createWorker() {
                throw new UnsupportedOperationException();
            }
        }

        Outcome until(double seconds, double from) {
            long consumerFree = 0;
            double windows = 0;
            double measuredFrom = 0;
            long delivered = 0;
            long bytes = 0;
            while (now < seconds * 1e9) {
                while (turn < begun && loaded[(int) turn % loaded.length] && consumerFree <= now) {
                    window.left(turn);
                    loaded[(int) turn % loaded.length] = false;
                    turn++;
                    consumerFree = now + (long) (1e9 / work.pace);
                    if (now >= from * 1e9) {
                        measuredFrom = measuredFrom == 0 ? now : measuredFrom;
                        delivered++;
                        windows += window.size();
                    }
                }
                window.delivered(turn, consumerFree <= now);
                while (begun < turn + window.size()) {
                    begin(begun++);
                }
                bytes = Math.max(bytes, (begun - turn) * work.bytes);
                if (consumerFree > now && (ends.isEmpty() || consumerFree <= ends.element()[0])) {
                    now = consumerFree;
                } else {
                    long[] end = ends.remove();
                    now = end[0];
                    loaded[(int) end[1] % loaded.length] = true;
                    window.came(end[1], SAMPLE, end[2]);
                }
            }
            return new Outcome(
                    delivered / (now - measuredFrom) * 1e9,
                    windows / delivered,
                    bytes,
                    window.now().by());
        }

        private void begin(long number) {
            int first = 0;
            if (slots.length < 1000) {
                for (int slot = 1; slot < slots.length; slot++) {
                    first = slots[slot] < slots[first] ? slot : first;
                }
            } else {
                first = (int) (number % slots.length);
            }
            long nanos = (long) (1e9 * work.latency(random, now / 1e9));
            long end = Math.max(now, slots[first]) + nanos;
            if (work == Workload.FAR_THEN_FORTY_SLOTS && now < FAR_UNTIL) {
                end = now + 5_000_000_000L;
            } else {
                slots[first] = end;
            }
            ends.add(new long[] {end, number, window.begins(number)});
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "FAR_THEN_FORTY_SLOTS")
    void window_ofAWorkload_givesTheBestRateWithFewLoads(Workload work) {
        double end = work.seconds();
        int fit = (int) Math.min(1024, BUDGET / work.bytes);
        int[] windows = new int[] {1, 2, 4, 6, 8, 10, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768};
        Outcome[] byHand = Arrays.stream(windows)
                .filter(size -> size <= fit)
                .mapToObj(size -> new Run(work, size).until(end / 4, end / 6))
                .toArray(Outcome[]::new);
        double best = Arrays.stream(byHand).mapToDouble(Outcome::rate).max().orElseThrow();
        double needed = Arrays.stream(byHand)
                .filter(one -> one.rate > 0.98 * best)
                .mapToDouble(Outcome::window)
                .min()
                .orElseThrow();

        Outcome tuned = new Run(work, 0).until(end, end / 2);

        assertThat(tuned.rate).isGreaterThan(0.95 * best);
        assertThat(tuned.window).isLessThanOrEqualTo(Math.max(1.5 * needed, 1.5 * LEAST));
        assertThat(tuned.bytes).isLessThanOrEqualTo(BUDGET);
    }

    /** The largest window cannot grow, so no growth brings nothing. */
    @Test
    void window_thatIsTheLargest_isTakenBackWhereLessBringsAsMuch() {
        Run run = new Run(Workload.FAR_THEN_FORTY_SLOTS, 0);
        assertThat(run.until(FAR_UNTIL / 1e9, 0).bound()).isEqualTo(Bound.MOST);

        Outcome later = run.until(150, 120);

        assertThat(later.rate).isGreaterThan(0.9 * 400);
        assertThat(later.window).isLessThan(LoadWindow.MOST / 8.0);
        assertThat(later.bound).isEqualTo(Bound.SOURCE);
    }

    @Test
    void window_ofTheDefaults_beginsWithOneLoadAndKeepsAnEighthOfTheHeap() {
        LoadWindow window = new LoadWindow(Execution.standard(), 1, null);
        assertThat(window.size()).isEqualTo(1);

        int fifth = (int) (Runtime.getRuntime().maxMemory() / 8 / 5);
        window.came(0, Sample.of(Draw.of(0), ByteBuffer.allocate(fifth)), 0);

        assertThat(window.size()).isEqualTo(5);
        assertThat(window.now().by()).isEqualTo(Bound.BYTES);
        assertThat(new LoadWindow(Execution.standard().inFlight(7), 1, null).size())
                .isEqualTo(7);
    }
}

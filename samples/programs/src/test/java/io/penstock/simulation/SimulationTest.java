package io.penstock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Many simulated runs, each decided by its seed. {@code -Dpenstock.simulation.seed=N} repeats the run of one seed;
 * {@code -Dpenstock.simulation.runs=N} sets how many there are.
 */
@Tag("repeated")
class SimulationTest {

    /** A run stays on its thread, and several runs go on beside each other. */
    private static final ThreadLocal<Scheduler> CURRENT = new ThreadLocal<>();

    /** What waits and what blocks runs on the simulated threads too. */
    @BeforeAll
    static void replaceThreads() {
        Schedulers.setFactory(new SimulatedThreads(CURRENT::get));
    }

    @AfterAll
    static void restoreThreads() {
        Schedulers.resetFactory();
    }

    private static long run(long seed) {
        try {
            Simulation simulation = new Simulation(seed);
            CURRENT.set(simulation.scheduler());
            return simulation.run();
        } catch (Throwable e) {
            throw new AssertionError(
                    "simulation failed; repeat it with -Dpenstock.simulation.seed=%d: %s%n%s"
                            .formatted(seed, e.getMessage(), Scenario.of(seed)),
                    e);
        }
    }

    @Test
    void stream_underAnySchedule_deliversWhatItMust() {
        Long one = Long.getLong("penstock.simulation.seed");
        if (one != null) {
            run(one);
            return;
        }
        long runs =
                Long.getLong("penstock.simulation.runs", Boolean.getBoolean("penstock.endurance") ? 100_000 : 2_000);

        LongStream.range(0, runs).parallel().forEach(SimulationTest::run);
    }

    @Test
    void simulation_ofOneSeed_isTheSameEachTime() {
        long seeds = Boolean.getBoolean("penstock.endurance") ? 1_000 : 100;
        for (long seed = 0; seed < seeds; seed++) {
            assertThat(run(seed)).as("seed %d", seed).isEqualTo(run(seed));
        }
    }
}

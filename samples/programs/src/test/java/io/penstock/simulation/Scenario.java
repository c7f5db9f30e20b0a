package io.penstock.simulation;

import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.order.ShardMode;
import java.util.HashSet;
import java.util.Set;

/**
 * One simulated job, drawn from a seed.
 *
 * @param samples       of the data set
 * @param processes     each with a pipeline and a local tier of its own
 * @param streams       ranks a process, which share its pipeline
 * @param localSamples  what the local tiers hold, 0 for none
 * @param sharedSamples what the tier of all processes holds, 0 for none
 * @param place         where the broken samples fail
 * @param policy        what the pipeline does about them
 * @param broken        the indices of the samples that fail
 * @param tierFaults    the share of calls of tiers and codecs that fail
 * @param asynchronous  the share of loads and tier calls that answer later
 * @param cancels       whether consumers leave in the middle, and the run goes on at another size
 * @param window        within which samples may pass slower ones, 0 for streams in order; those go on at the same size
 */
record Scenario(
        long seed,
        int samples,
        int epochs,
        int processes,
        int streams,
        ShardMode mode,
        boolean shuffled,
        Remainder remainder,
        int localSamples,
        boolean localLru,
        int sharedSamples,
        Place place,
        Fault fault,
        Policy policy,
        Set<Long> broken,
        double tierFaults,
        double asynchronous,
        boolean cancels,
        boolean poolEnds,
        int window) {

    enum Place {
        LOAD,
        BEFORE_CACHE,
        BEHIND_CACHE,
        DICE
    }

    enum Policy {
        FAIL,
        SKIP,
        SUBSTITUTE,
        RETRY
    }

    /** How often a sample fails that {@link Policy#RETRY} mends. */
    static final int FAILURES_BEFORE_SUCCESS = 2;

    static Scenario of(long seed) {
        Dice dice = new Dice(seed);
        int samples = dice.between(1, 24);
        boolean failing = dice.chance(0.3);
        Policy policy = failing ? dice.oneOf(Policy.values()) : Policy.FAIL;
        boolean survives = policy != Policy.FAIL;
        int cached = dice.below(4); // none, local, shared, both
        return new Scenario(
                seed,
                samples,
                dice.between(1, 3),
                dice.between(1, 2),
                dice.between(1, 2),
                dice.oneOf(ShardMode.global(), ShardMode.stable()),
                dice.chance(0.7),
                dice.oneOf(Remainder.values()),
                (cached & 1) == 0 ? 0 : dice.chance(0.5) ? samples : dice.between(1, samples),
                dice.chance(0.3),
                (cached & 2) == 0 ? 0 : dice.chance(0.5) ? samples : dice.between(1, samples),
                dice.oneOf(Place.values()),
                survives ? Fault.EXCEPTION : dice.oneOf(Fault.values()),
                policy,
                failing ? some(dice, samples) : Set.of(),
                dice.chance(0.5) ? 0 : dice.oneOf(0.02, 0.2),
                dice.oneOf(0.0, 0.3, 1.0),
                dice.chance(0.4),
                dice.chance(0.02),
                dice.chance(0.3) ? dice.between(2, 16) : 0);
    }

    private static Set<Long> some(Dice dice, int samples) {
        Set<Long> chosen = new HashSet<>();
        for (int i = dice.between(1, 3); i > 0; i--) {
            chosen.add((long) dice.below(samples));
        }
        return chosen;
    }

    int world() {
        return processes * streams;
    }

    boolean ordered() {
        return window == 0;
    }

    Sampler sampler() {
        Sampler order = shuffled ? Sampler.shuffled(seed) : Sampler.sequential();
        return order.epochs(epochs).mode(mode).remainder(remainder);
    }

    /** Whether every sample stays in a tier that all streams reach, so that it loads once. */
    boolean loadsOnce() {
        boolean reached = sharedSamples == samples || processes == 1 && localSamples == samples;
        return reached && broken.isEmpty() && tierFaults == 0 && !cancels && !poolEnds;
    }
}

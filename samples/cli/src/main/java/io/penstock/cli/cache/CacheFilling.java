package io.penstock.cli.cache;

import io.penstock.cli.console.Interruption;
import io.penstock.cli.console.ProgressLine;
import io.penstock.cli.flag.OutputFlags;
import io.penstock.cli.source.Cacheable;
import io.penstock.fault.SampleException;
import io.penstock.order.Shard;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * Fills a cache with what it lacks, and says how that went.
 *
 * @param event           what it is called in JSON
 * @param failures        told of each sample that cannot be loaded, on the thread that tried
 * @param failuresAllowed whether that is no reason to end with status 1
 * @param partAllowed     whether a cache without room for all is none either
 */
public record CacheFilling(
        OutputFlags flags,
        String event,
        Consumer<SampleException> failures,
        boolean failuresAllowed,
        boolean partAllowed) {

    /** Blocks until it has ended; the exit status. */
    public int run(
            Cacheable<?> samples,
            Supplier<? extends FilledCache> place,
            int inFlight,
            Shard shard,
            LongFunction<ProgressLine> progress) {
        LastWrites lastWrites = new LastWrites();
        boolean ended;
        Warming<?> warming;
        try (FilledCache cache = place.get()) {
            warming = new Warming<>(samples, cache, inFlight, shard, failures);
            ended = warming.run(progress.apply(warming.samples()), so -> interrupted(so, lastWrites));
        } finally {
            lastWrites.done();
        }
        return ended ? warming.outcome().report(flags, event, failuresAllowed, partAllowed) : Interruption.STATUS;
    }

    private void interrupted(Warming.Outcome so, LastWrites lastWrites) {
        if (!lastWrites.await()) {
            flags.complain("some loaded samples could not be written in time");
        }
        flags.complain("interrupted: %d of %d samples are there; repeat the command to continue"
                .formatted(so.already() + so.loaded(), so.samples()));
    }
}

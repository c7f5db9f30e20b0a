package io.penstock.cli.explain;

import io.penstock.batch.BatchPlan;
import io.penstock.cli.flag.NumberFlag;
import io.penstock.cli.flag.OutputFlags;
import io.penstock.cli.source.SampleRows;
import io.penstock.cli.stream.Run;
import io.penstock.cli.stream.StreamFlags;
import io.penstock.internal.Substitutes;
import io.penstock.order.Draw;
import io.penstock.order.Draws;
import io.penstock.order.Position;
import io.penstock.order.Remainder;
import io.penstock.resume.ResumeToken;
import io.penstock.stream.Sample;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code penstock explain}: says what one batch of a run was made of, and makes it again. */
@Command(
        name = "explain",
        sortOptions = false,
        abbreviateSynopsis = true,
        usageHelpWidth = 100,
        description = {
            "Say which samples, changed by which augmentations, were in one batch of a run.",
            "Takes the flags that the run had, and loads only what it needs."
        })
public final class ExplainCommand implements Callable<Integer> {

    @Option(names = "--step", required = true, paramLabel = "S", converter = NumberFlag.Index.class)
    private long step;

    @Option(names = "--replay")
    private boolean replay;

    @Mixin
    private final OutputFlags output = new OutputFlags();

    @Mixin
    private final StreamFlags flags = new StreamFlags();

    private final Set<Long> failed = ConcurrentHashMap.newKeySet();

    @Override
    public Integer call() {
        if (flags.isResumedByFile()) {
            throw output.wrong(
                    "steps count from where a run began, which --resume-file no longer says: give the token it "
                            + "began with as --resume, or leave both out for a run from the start");
        }
        if (flags.isUnordered()) {
            throw output.wrong(
                    "--unordered is for stream: which samples a batch has is decided by what is loaded first");
        }
        try (Run<?> run = output.checked(() -> flags.look(failure -> failed.add(failure.index())))) {
            explain(run);
            return 0;
        }
    }

    private <T> void explain(Run<T> run) {
        if (run.sampler().start().ahead().signum() != 0) {
            throw output.wrong(
                    "--resume is a token of an unordered run, within an epoch: what follows is decided by what is "
                            + "loaded first");
        }
        Draws draws = run.sampler().draws(run.pipeline().size());
        BatchPlan batches =
                BatchPlan.of(draws, run.batching().draws(), run.batching().remainder());
        if (step < 0 || step >= batches.count()) {
            throw output.wrong("--step must be in [0, %d), which are the batches of rank %d of %d, was %d"
                    .formatted(
                            batches.count(),
                            run.sampler().shard().rank(),
                            run.sampler().shard().worldSize(),
                            step));
        }
        List<Draw> drawn = batches.draws(step);
        SampleRows<T> rows = run.feed().rows();
        Explanation out = new Explanation(output, rows.noun());
        List<String> stages = run.pipeline().toString().lines().toList();
        out.begin(step, run.sampler().shard(), drawn, stages);
        SampleRows.Digest<T> digest = rows.digest();
        Position next = after(step, batches, run);
        int count = drawn.stream()
                .filter(draw -> !draw.isPadding())
                .mapToInt(draw -> rows.drawn(draw).length)
                .sum();
        out.drawn(run.drawn(count, drawn.get(0).epoch(), next));
        for (Draw draw : drawn) {
            if (draw.isPadding()) {
                out.padding();
            } else if (replay) {
                replay(run, draw, digest, out);
            } else {
                rows(run, draw, null, out);
            }
        }
        Position start = step == 0 ? run.sampler().start() : after(step - 1, batches, run);
        ResumeToken from = run.token(start);
        run.sampler().mixture().ifPresent(weights -> out.mixed(draw(start, run), weights));
        if (!replay && flags.toleratesErrors()) {
            out.uncertain();
        }
        out.end(
                from,
                run.token(next),
                replay ? (Long) digest.epoch().apply(drawn.get(0).epoch()).contentBits() : null);
    }

    /** The number of the first draw behind a position, counted over all epochs. */
    private static long draw(Position start, Run<?> run) {
        return start.epoch() * run.sampler().samples(run.pipeline().size()) + start.offset();
    }

    private <T> void replay(Run<T> run, Draw draw, SampleRows.Digest<T> digest, Explanation out) {
        Optional<T> value = run.pipeline().load(draw).blockOptional();
        if (value.isEmpty()) {
            out.skipped(draw, run.pipeline().name(draw.index()));
            return;
        }
        digest.observe().accept(Sample.of(draw, value.get()));
        Draw delivered = delivered(run, draw);
        rows(run, delivered, delivered.index() == draw.index() ? null : draw, out);
    }

    private static void rows(Run<?> run, Draw draw, @Nullable Draw insteadOf, Explanation out) {
        for (Draw row : run.feed().rows().drawn(draw)) {
            String name = run.feed().rows().name(row, run.pipeline());
            out.row(row, name, run.feed().label(row), run.feed().dice(row), insteadOf);
        }
    }

    /** The draw that was delivered for another which was loaded: itself, or what took its place. */
    private Draw delivered(Run<?> run, Draw draw) {
        Draw now = draw;
        for (int attempt = 1; failed.contains(now.index()) && attempt <= Substitutes.MAX; attempt++) {
            now = Substitutes.of(draw, attempt, run.pipeline().size());
        }
        return now;
    }

    /** Where a run goes on that has had a batch; draws that are dropped at the end of an epoch are behind it. */
    private static Position after(long number, BatchPlan batches, Run<?> run) {
        List<Draw> drawn = batches.draws(number);
        Draw last = drawn.get(drawn.size() - 1);
        boolean ends = number + 1 == batches.count()
                || batches.draws(number + 1).get(0).epoch() > last.epoch();
        return run.batching().remainder() == Remainder.DROP && ends ? new Position(last.epoch() + 1, 0) : last.next();
    }
}

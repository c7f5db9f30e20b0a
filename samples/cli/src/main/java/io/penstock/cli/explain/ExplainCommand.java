package io.penstock.cli.explain;

import io.penstock.batch.BatchPlan;
import io.penstock.cli.console.Output;
import io.penstock.cli.console.Reason;
import io.penstock.cli.flag.Flags;
import io.penstock.cli.flag.HelpFlag;
import io.penstock.cli.flag.NumberFlag;
import io.penstock.cli.source.SampleRows;
import io.penstock.cli.stream.StreamOptions;
import io.penstock.cli.stream.StreamPlan;
import io.penstock.order.Draw;
import io.penstock.order.Draws;
import io.penstock.order.Position;
import io.penstock.order.Remainder;
import io.penstock.resume.ResumeToken;
import io.penstock.stream.Sample;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

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

    @Mixin
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private final HelpFlag help = new HelpFlag();

    private final StreamOptions options;

    @Option(
            order = -2,
            names = "--step",
            required = true,
            paramLabel = "S",
            converter = NumberFlag.Index.class,
            description = "Which batch of --rank, counted from 0 at the start of the run or of what --resume says.")
    private long step;

    @Option(order = -1, names = "--replay", description = "Load its samples too, and digest what was delivered.")
    private boolean replay;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private ExplainCommand(StreamOptions options) {
        this.options = options;
    }

    public static CommandLine command() {
        CommandSpec flags = CommandSpec.forAnnotatedObject(StreamOptions.class);
        ExplainCommand command = new ExplainCommand((StreamOptions) flags.userObject());
        return new CommandLine(CommandSpec.forAnnotatedObject(command).addMixin("flags", flags));
    }

    @Override
    public Integer call() {
        if (options.resumeFile() != null && options.resume() == null) {
            throw new ParameterException(
                    spec.commandLine(),
                    "steps count from where a run began, which --resume-file no longer says: give the token it "
                            + "began with as "
                            + "--resume, or leave both out for a run from the start");
        }
        if (options.unordered() != null) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--unordered is for stream: which samples a batch has is decided by what is loaded first");
        }
        StreamPlan<?> plan;
        try {
            plan = StreamPlan.lookedAt(options);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), Reason.of(e), e);
        }
        try (plan) {
            explain(plan);
            return 0;
        }
    }

    private <T> void explain(StreamPlan<T> plan) {
        if (plan.sampler().start().ahead().signum() != 0) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--resume is a token of an unordered run, within an epoch: what follows is decided by what is "
                            + "loaded first");
        }
        Draws draws = plan.sampler().draws(plan.pipeline().size());
        BatchPlan batches = BatchPlan.of(draws, plan.drawsABatch(), options.remainder());
        if (step < 0 || step >= batches.count()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--step must be in [0, %d), which are the batches of rank %d of %d, was %d"
                            .formatted(
                                    batches.count(),
                                    plan.sampler().shard().rank(),
                                    plan.sampler().shard().worldSize(),
                                    step));
        }
        List<Draw> drawn = batches.draws(step);
        Explanation out = new Explanation(new Output(spec.commandLine().getOut()), options.json());
        List<String> stages = plan.pipeline().toString().lines().toList();
        out.begin(step, plan.sampler().shard(), drawn, stages);
        SampleRows.Digest<T> digest = plan.feed().rows().digest();
        for (Draw draw : drawn) {
            if (draw.isPadding()) {
                out.padding();
            } else if (replay) {
                replay(plan, draw, digest, out);
            } else {
                out.sample(draw, plan.pipeline().name(draw.index()), plan.feed().dice(draw));
            }
        }
        Position next = after(step, batches);
        ResumeToken from = plan.token(step == 0 ? plan.sampler().start() : after(step - 1, batches));
        if (replay) {
            out.replayed(
                    from,
                    plan.token(next),
                    digest.epoch().apply(drawn.get(0).epoch()).contentBits());
        } else {
            out.end(from, plan.token(next), options.onError() != Flags.OnError.FAIL);
        }
    }

    private static <T> void replay(StreamPlan<T> plan, Draw draw, SampleRows.Digest<T> digest, Explanation out) {
        Optional<T> value = plan.pipeline().load(draw).blockOptional();
        if (value.isEmpty()) {
            out.skipped(draw, plan.pipeline().name(draw.index()));
            return;
        }
        digest.observe().accept(Sample.of(draw, value.get()));
        Draw delivered = plan.delivered(draw);
        String name = plan.pipeline().name(delivered.index());
        if (delivered.index() == draw.index()) {
            out.sample(delivered, name, plan.feed().dice(delivered));
        } else {
            out.substitute(delivered, name, plan.feed().dice(delivered), draw);
        }
    }

    /** Where a run goes on that has had a batch; draws that are dropped at the end of an epoch are behind it. */
    private Position after(long number, BatchPlan batches) {
        List<Draw> drawn = batches.draws(number);
        Draw last = drawn.get(drawn.size() - 1);
        boolean ends = number + 1 == batches.count()
                || batches.draws(number + 1).get(0).epoch() > last.epoch();
        return options.remainder() == Remainder.DROP && ends ? new Position(last.epoch() + 1, 0) : last.next();
    }
}

package io.penstock.cli.stream;

import io.penstock.cli.console.Interruption;
import io.penstock.cli.console.Output;
import io.penstock.cli.console.Reason;
import io.penstock.cli.console.Terminal;
import io.penstock.cli.flag.HelpFlag;
import io.penstock.cli.report.JsonReporter;
import io.penstock.cli.report.Reporter;
import io.penstock.cli.report.TableReporter;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code penstock stream}: runs a pipeline that flags describe, and measures it. */
@Command(
        name = "stream",
        sortOptions = false,
        abbreviateSynopsis = true,
        usageHelpWidth = 100,
        description = "Stream a data set through a pipeline that flags describe, and report each epoch.")
public final class StreamCommand implements Callable<Integer> {

    @Mixin
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private final HelpFlag help = new HelpFlag();

    private final StreamOptions options;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private StreamCommand(StreamOptions options) {
        this.options = options;
    }

    public static CommandLine command() {
        CommandSpec flags = CommandSpec.forAnnotatedObject(StreamOptions.class);
        StreamCommand command = new StreamCommand((StreamOptions) flags.userObject());
        return new CommandLine(CommandSpec.forAnnotatedObject(command).addMixin("flags", flags));
    }

    @Override
    public Integer call() {
        boolean terminal = !options.json() && Terminal.onStandardError();
        StreamPlan<?> plan;
        try {
            plan = StreamPlan.of(options, terminal ? spec.commandLine().getErr() : null);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), Reason.of(e), e);
        }
        try (plan) {
            return run(plan, terminal);
        }
    }

    private <T> int run(StreamPlan<T> plan, boolean terminal) {
        Output out = new Output(spec.commandLine().getOut());
        Reporter reporter = options.json()
                ? new JsonReporter(out, CacheOptions.of(options).verifyHits != null)
                : new TableReporter(
                        out,
                        options.quarantine() == null
                                ? null
                                : options.quarantine().toString());
        if (plan.metrics() != null) {
            spec.commandLine().getErr().println("metrics at " + plan.metrics());
        }
        return StreamRun.of(plan, reporter, spec.commandLine().getErr(), terminal) ? 0 : Interruption.STATUS;
    }
}

package io.penstock.cli.stream;

import io.penstock.cli.console.Interruption;
import io.penstock.cli.flag.OutputFlags;
import io.penstock.cli.report.JsonReporter;
import io.penstock.cli.report.Reporter;
import io.penstock.cli.report.TableReporter;
import io.penstock.internal.Arguments;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code penstock stream}: runs a pipeline that flags describe, and measures it. */
@Command(
        name = "stream",
        sortOptions = false,
        abbreviateSynopsis = true,
        description = "Stream a data set through a pipeline that flags describe, and report each epoch.")
public final class StreamCommand implements Callable<Integer> {

    @Mixin
    private final OutputFlags output = new OutputFlags();

    @Mixin
    private final StreamFlags flags = new StreamFlags();

    @Override
    @SuppressWarnings("try") // the trace is written when it is closed
    public Integer call() {
        try (TraceFile trace = flags.ending.trace == null ? null : TraceFile.begin(flags.ending.trace);
                Run<?> run = output.checked(() -> {
                    Arguments.refuse(flags.ending.batchEvents && !output.json(), "--batch-events needs --json");
                    return flags.open(output.isWatched() ? output.err() : null);
                })) {
            Reporter reporter = output.json()
                    ? new JsonReporter(output.out(), flags.caches.verifyHits != null)
                    : new TableReporter(output.out(), flags.errors.quarantine);
            if (run.metrics() != null) {
                output.err().println("metrics at " + run.metrics());
            }
            return flags.deliver(run, reporter, output.err(), output.isWatched()) ? 0 : Interruption.STATUS;
        }
    }
}

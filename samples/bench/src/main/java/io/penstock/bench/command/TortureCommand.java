package io.penstock.bench.command;

import io.penstock.bench.ChildProcess;
import io.penstock.bench.torture.Toll;
import io.penstock.bench.torture.Torture;
import io.penstock.cli.Main;
import io.penstock.cli.console.Output;
import io.penstock.cli.console.ProgressLine;
import io.penstock.cli.console.Terminal;
import io.penstock.cli.flag.HelpFlag;
import io.penstock.cli.flag.NumberFlag;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code penstock bench torture}: real jobs under kills, damage and full disks. */
@Command(
        name = "torture",
        sortOptions = false,
        usageHelpWidth = 100,
        description =
                "Run jobs of several processes, kill them and damage their caches at random, and compare every byte"
                        + " that they deliver with the source. Exits with 1 if a byte was wrong, or a process "
                        + "hung or failed.")
final class TortureCommand implements Callable<Integer> {

    @Mixin
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private final HelpFlag help = new HelpFlag();

    @Option(
            names = "--minutes",
            paramLabel = "N",
            defaultValue = "60",
            converter = NumberFlag.Count.class,
            description = "No job begins after that (default: ${DEFAULT-VALUE}).")
    private int minutes;

    @Option(
            names = "--seed",
            paramLabel = "N",
            converter = NumberFlag.Seed.class,
            description = "Decides the jobs and their faults; random by default, and printed.")
    private @Nullable Long seed;

    @Option(names = "--out", paramLabel = "DIR", description = "Where jobs run, and where failed jobs are kept.")
    private @Nullable Path out;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        long chosen = seed == null ? new SplittableRandom().nextLong() : seed;
        Path folder = out == null ? Files.createTempDirectory("penstock-torture-") : Files.createDirectories(out);
        Output output = new Output(spec.commandLine().getOut());
        output.line("seed " + chosen + ", in " + folder);
        PrintWriter err = spec.commandLine().getErr();
        ProgressLine progress = new ProgressLine(err, Terminal.onStandardError());
        Toll toll;
        try {
            toll = new Torture(
                            ChildProcess.command(Main.class, List.of()),
                            Duration.ofMinutes(minutes),
                            chosen,
                            progress::show)
                    .run(folder);
        } finally {
            progress.clear();
        }
        output.line(toll.line());
        return toll.isSound() ? 0 : 1;
    }
}

package io.penstock.bench.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.bench.BenchOptions;
import io.penstock.bench.Benchmark;
import io.penstock.bench.experiment.ExperimentBenchmark;
import io.penstock.cli.AddedCommand;
import io.penstock.cli.console.Output;
import io.penstock.cli.console.ProgressLine;
import io.penstock.cli.console.Terminal;
import io.penstock.cli.flag.HelpFlag;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code penstock bench}: measures what the documentation claims. */
@Command(
        name = "bench",
        subcommands = TortureCommand.class,
        sortOptions = false,
        abbreviateSynopsis = true,
        usageHelpWidth = 100,
        description =
                "Run the benchmarks and comparisons that the documentation names. The sides of a ratio alternate.")
public final class BenchCommand implements AddedCommand {

    @Mixin
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private final HelpFlag help = new HelpFlag();

    @Parameters(
            paramLabel = "NAME",
            arity = "0..*",
            description =
                    "Which ones: warm, disk, first-epoch, draws, decode, stage, distant, s3, flat, zarr, tfrecord,"
                            + " tables, packing, mixed, cluster, servers; all by default."
                            + " Experiments, in minutes, with charts and a page: sweep, policies,"
                            + " epochs, near-far, latency, scale, stragglers, lazy."
                            + " Or peers, tensorflow: other engines, 400 MB to fetch.")
    private List<String> names = new ArrayList<>();

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Keep the figures there, in bench.json, and an experiment's files, which are in figures/ by "
                    + "default.")
    private @Nullable Path out;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Class folders of JPEG files, instead of generated ones.")
    private @Nullable Path data;

    @Option(names = "--json", description = "Print one JSON object a line, and nothing else.")
    private boolean json;

    @Option(names = "--quick", description = "About a minute in all, with more noise.")
    private boolean quick;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() {
        List<Benchmark> chosen = chosen();
        Output output = new Output(spec.commandLine().getOut());
        BenchTable table = new BenchTable(output);
        List<ObjectNode> results = new ArrayList<>();
        if (!json) {
            table.head();
        }
        for (Benchmark benchmark : chosen) {
            // each in a process of its own, so that none inherits compiled code, garbage and mappings
            List<ObjectNode> found = chosen.size() == 1 && BenchFork.hasFlagsFor(benchmark)
                    ? measured(benchmark)
                    : BenchFork.run(benchmark, new BenchOptions(quick, data, out, text -> {}));
            results.addAll(found);
            found.forEach(result -> {
                if (json) {
                    output.line(result.toString());
                } else {
                    table.row(result);
                }
            });
        }
        if (out != null) {
            BenchFile.write(out, quick, results);
        }
        if (!json) {
            Path folder = out == null ? ExperimentBenchmark.FOLDER : out;
            chosen.stream()
                    .filter(Benchmark::leavesFiles)
                    .forEach(benchmark -> output.line(
                            "see " + folder.resolve(benchmark.name() + ".html").toAbsolutePath()));
        }
        return 0;
    }

    private List<ObjectNode> measured(Benchmark benchmark) {
        PrintWriter err = spec.commandLine().getErr();
        ProgressLine progress = new ProgressLine(err, Terminal.onStandardError());
        try {
            return benchmark.run(new BenchOptions(quick, data, out, progress::show)).stream()
                    .map(result -> BenchFile.node(benchmark.name(), result))
                    .toList();
        } finally {
            progress.clear();
        }
    }

    private List<Benchmark> chosen() {
        List<Benchmark> all = Benchmarks.all();
        for (String name : names) {
            if (all.stream().noneMatch(benchmark -> benchmark.name().equals(name))) {
                throw new ParameterException(
                        spec.commandLine(),
                        "there is no benchmark \"%s\"; there are %s"
                                .formatted(
                                        name, all.stream().map(Benchmark::name).collect(Collectors.joining(", "))));
            }
        }
        return all.stream()
                .filter(benchmark -> names.isEmpty() ? !benchmark.leavesFiles() : names.contains(benchmark.name()))
                .toList();
    }
}

package io.penstock.bench.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.bench.Bench;
import io.penstock.bench.Benchmark;
import io.penstock.cli.AddedCommand;
import io.penstock.cli.console.Output;
import io.penstock.cli.console.ProgressLine;
import io.penstock.cli.console.Terminal;
import io.penstock.cli.flag.OutputFlags;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code penstock bench}: measures what the documentation claims. */
@Command(
        name = "bench",
        sortOptions = false,
        abbreviateSynopsis = true,
        usageHelpWidth = 100,
        description =
                "Run the benchmarks and comparisons that the documentation names. The sides of a ratio alternate.")
public final class BenchCommand implements AddedCommand {

    private static final Path FIGURES = Path.of("figures");

    @Mixin
    private final OutputFlags output = new OutputFlags();

    @Parameters(
            paramLabel = "NAME",
            arity = "0..*",
            completionCandidates = Names.class,
            description = "Which ones: ${COMPLETION-CANDIDATES}. By default all but those that take minutes, which are "
                    + "experiments with charts, or fetch 290 MB of other engines: docs/performance.md.")
    private List<String> names = new ArrayList<>();

    @Option(names = "--out", paramLabel = "DIR")
    private @Nullable Path out;

    @Option(names = "--data", paramLabel = "DIR")
    private @Nullable Path data;

    @Option(names = "--quick")
    private boolean quick;

    /** The names that help shows. */
    static final class Names implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Benchmarks.all().stream().map(Benchmark::name).iterator();
        }
    }

    @Override
    public Integer call() {
        List<Benchmark> chosen = chosen();
        Output lines = output.out();
        BenchTable table = new BenchTable(lines);
        boolean json = output.json();
        if (!json) {
            table.head();
        }
        for (Benchmark benchmark : chosen) {
            // each in a process of its own, so that none inherits compiled code, garbage and mappings
            List<ObjectNode> found = chosen.size() == 1 && BenchFork.hasFlagsFor(benchmark)
                    ? measured(benchmark)
                    : BenchFork.run(benchmark, quick, data);
            found.forEach(json ? line -> lines.line(line.toString()) : table::row);
            BenchFile file = BenchFile.of(benchmark.name(), quick, found);
            if (out != null || !file.root().path("charts").isEmpty() && !json) {
                Path folder = out == null ? FIGURES : out;
                file.write(folder);
                if (!json) {
                    lines.line("see " + folder.resolve(benchmark.name() + "*").toAbsolutePath());
                }
            }
        }
        return 0;
    }

    private List<ObjectNode> measured(Benchmark benchmark) {
        ProgressLine progress = new ProgressLine(output.err(), Terminal.onStandardError(), 0);
        try {
            Bench bench = new Bench(quick, data, progress::show);
            benchmark.work().accept(bench);
            return BenchFile.lines(benchmark.name(), bench);
        } finally {
            progress.clear();
        }
    }

    private List<Benchmark> chosen() {
        List<Benchmark> all = Benchmarks.all();
        for (String name : names) {
            if (all.stream().noneMatch(benchmark -> benchmark.name().equals(name))) {
                throw output.wrong(
                        "there is no benchmark \"%s\"; there are %s".formatted(name, String.join(", ", new Names())));
            }
        }
        return all.stream()
                .filter(benchmark -> names.isEmpty() ? !benchmark.isLong() : names.contains(benchmark.name()))
                .toList();
    }
}

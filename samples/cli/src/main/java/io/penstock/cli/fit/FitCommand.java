package io.penstock.cli.fit;

import io.penstock.cli.console.Interruption;
import io.penstock.cli.console.ProgressLine;
import io.penstock.cli.flag.OutputFlags;
import io.penstock.cli.source.Cacheable;
import io.penstock.cli.source.SourceFlags;
import io.penstock.cli.source.TableRows;
import io.penstock.fit.Drift;
import io.penstock.fit.FieldFit;
import io.penstock.fit.Fit;
import io.penstock.internal.AtomicFile;
import io.penstock.internal.FileWork;
import io.penstock.pipeline.Indexing;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Option;

/** {@code penstock fit}: statistics of all fields of a source, in one pass. */
@Command(
        name = "fit",
        sortOptions = false,
        description =
                "Find the mean, deviation, quantiles, classes and missing values of every field, for --standardise "
                        + "and others of stream. An interrupted command continues when it is repeated, and after a change of the "
                        + "data reads only what changed.")
public final class FitCommand implements Callable<Integer> {

    @Mixin
    private final OutputFlags flags = new OutputFlags();

    @Mixin
    private final SourceFlags source = new SourceFlags();

    @Option(names = "--to", required = true, paramLabel = "FIT.json")
    private Path to;

    @Option(names = "--against", paramLabel = "FIT.json")
    private @Nullable Path against;

    private FitCommand() {}

    /** The command, whose sources stand without their flag. */
    public static CommandLine command() {
        CommandLine command = new CommandLine(new FitCommand());
        CommandSpec spec = command.getCommandSpec();
        OptionSpec named = spec.findOption("--source");
        spec.remove(named);
        spec.addPositional(PositionalParamSpec.builder()
                .index("0..*")
                .arity("1..*")
                .required(true)
                .paramLabel("SOURCE")
                .description("As for stream --source; more than one are read one after another.")
                .type(List.class)
                .auxiliaryTypes(named.auxiliaryTypes())
                .getter(named.getter())
                .setter(named.setter())
                .build());
        return command;
    }

    @Override
    public Integer call() {
        Fit before = against == null ? null : Fit.read(against);
        Cacheable<?> samples = flags.checked(() -> source.open(null));
        Fit fit = fit(samples);
        if (fit == null) {
            return Interruption.STATUS;
        }
        fit.write(to);
        Path page = to.resolveSibling(name() + ".html");
        FileWork.run(
                "cannot write " + page, () -> AtomicFile.write(page.toAbsolutePath(), FitPage.of(name(), fit, before)));
        if (!flags.json()) {
            flags.out().line(FIELDS);
        }
        fit.fields().forEach(this::print);
        if (before != null) {
            before.drift(fit).forEach(this::print);
        }
        flags.print(
                "%,d samples; %s has the fit, %s its charts".formatted(fit.samples(), to, page),
                "done",
                node -> node.put("samples", fit.samples()).put("page", page.toString()));
        return 0;
    }

    private String name() {
        return String.valueOf(to.getFileName()).replaceFirst("\\.json$", "");
    }

    /** Null if a signal ended it. */
    private <T> @Nullable Fit fit(Cacheable<T> samples) {
        ProgressLine progress = flags.progress(samples.dataset().size());
        Indexing indexing = Indexing.keptIn(to.resolveSibling("." + name() + ".parts")) // sources pass over it
                .progress(at ->
                        progress.show("fitting", at.examined(), "samples", "%,d were known".formatted(at.known())));
        AtomicReference<@Nullable Fit> found = new AtomicReference<>();
        boolean ended = Interruption.run(
                stop -> Fit.of(samples.dataset(), samples.schema(), indexing)
                        .doOnNext(found::set)
                        .takeUntilOther(stop),
                progress,
                () -> {},
                () -> flags.complain("interrupted: repeat the command to continue"));
        return ended ? found.get() : null;
    }

    private static final String FIELDS = "%-24s %12s %8s %12s %12s %12s %12s %12s %10s"
            .formatted((Object[]) "field values missing mean deviation min median max distinct".split(" "));

    private void print(String name, FieldFit field) {
        double median = field.percentiles().isEmpty() ? Double.NaN : field.quantile(0.5);
        double[] of = {field.mean(), field.deviation(), field.min(), median, field.max()};
        String numbers = DoubleStream.of(of)
                .mapToObj(each -> FitPage.format("%12.6g ", each))
                .collect(Collectors.joining());
        String form = isOfNumbers(field) ? "  (of lengths: for numbers say %s:float)" : "  (of lengths)";
        String lengths = field.text() ? form.formatted(name) : "";
        String counts = FitPage.format("%-24s %12d %6.2f %% ", name, field.values(), 100 * field.missingShare());
        String line = counts + numbers + FitPage.format("%10d", field.distinct()) + lengths;
        flags.print(
                line,
                "field",
                node -> node.put("field", name)
                        .put("values", field.values())
                        .put("missing", field.missing())
                        .put("mean", field.mean())
                        .put("deviation", field.deviation())
                        .put("min", field.min())
                        .put("median", median)
                        .put("max", field.max())
                        .put("distinct", field.distinct()));
    }

    private boolean isOfNumbers(FieldFit texts) {
        return source.areTextTables()
                && texts.values() > texts.missing()
                && texts.classes().keySet().stream().allMatch(text -> text.isEmpty() || TableRows.isNumber(text));
    }

    private void print(Drift drift) {
        String apart = FitPage.format("drift of %s: %.3f (%s)", drift.field(), drift.distance(), drift.words());
        flags.print(
                apart + FitPage.format("; missing %+.2f %%", 100 * drift.missing()),
                "drift",
                node -> node.put("field", drift.field())
                        .put("distance", drift.distance())
                        .put("missing", drift.missing())
                        .put("words", drift.words()));
    }
}

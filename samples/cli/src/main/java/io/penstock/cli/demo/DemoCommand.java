package io.penstock.cli.demo;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.penstock.cli.console.Interruption;
import io.penstock.cli.console.Output;
import io.penstock.cli.console.ProgressLine;
import io.penstock.cli.console.Reason;
import io.penstock.cli.console.TemporaryFolder;
import io.penstock.cli.console.Terminal;
import io.penstock.cli.flag.HelpFlag;
import io.penstock.cli.flag.NumberFlag;
import io.penstock.cli.report.EpochReport;
import io.penstock.cli.report.JsonReporter;
import io.penstock.cli.report.Reporter;
import io.penstock.cli.stream.StreamOptions;
import io.penstock.cli.stream.StreamPlan;
import io.penstock.cli.stream.StreamRun;
import io.penstock.pictures.PictureFolder;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code penstock demo}: the main job on pictures that it makes itself. */
@Command(
        name = "demo",
        sortOptions = false,
        abbreviateSynopsis = true,
        usageHelpWidth = 100,
        description =
                "Make a small labelled data set and stream it three times: decode, resize, cache, augment, batch.")
public final class DemoCommand implements Callable<Integer> {

    @Mixin
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private final HelpFlag help = new HelpFlag();

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Use this folder of class folders instead; several are mixed by --weights.")
    private @Nullable List<Path> data;

    @Option(
            names = "--weights",
            paramLabel = "A,B,…",
            split = ",",
            converter = NumberFlag.Weight.class,
            description = "Mix several folders by these weights: one for each --data, or for each folder to make.")
    private List<Double> weights = List.of();

    @Option(
            names = "--images",
            paramLabel = "N",
            defaultValue = "640",
            converter = NumberFlag.Pictures.class,
            description = "How many pictures to make (default: ${DEFAULT-VALUE}).")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Integer images;

    @Option(
            names = "--page",
            description = "Stream them repeatedly, and serve a page on this machine that shows and controls the run.")
    private boolean page;

    @Option(
            names = "--port",
            paramLabel = "N",
            converter = NumberFlag.Port.class,
            description = "The port of --page; any free one by default.")
    private @Nullable Integer port;

    @Option(names = "--json", description = "Print one JSON object a line, and nothing else.")
    private boolean json;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() {
        if (port != null && !page) {
            throw new ParameterException(spec.commandLine(), "--port needs --page");
        }
        if (data != null && data.size() != Math.max(1, weights.size())) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--weights needs one weight for each --data: %d for %d".formatted(weights.size(), data.size()));
        }
        if (data != null) {
            return show(data);
        }
        if (images < PictureFolder.CLASSES * weights.size()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--images must be at least %d for each of the --weights: %d for %d"
                            .formatted(PictureFolder.CLASSES, images, weights.size()));
        }
        try (TemporaryFolder folder = TemporaryFolder.make("penstock-demo-")) {
            boolean printsItsName = !json && !page;
            if (!json) {
                err().println("making %d pictures in %s".formatted(images, folder.path()));
                err().flush();
            }
            ProgressLine progress = new ProgressLine(err(), !json && Terminal.onStandardError(), images);
            List<Path> folders = weights.isEmpty()
                    ? List.of(folder.path())
                    : IntStream.rangeClosed(1, weights.size())
                            .mapToObj(i -> folder.path().resolve("source-" + i))
                            .toList();
            PictureFolder.write(folders, images, folder::isGivenUp)
                    .doOnNext(made -> {
                        if (progress.isDue()) {
                            progress.show("making pictures", made, "pictures", "");
                        }
                    })
                    .blockLast();
            progress.clear();
            if (folder.isGivenUp()) {
                return Interruption.STATUS;
            }
            if (printsItsName) {
                folder.keep();
            }
            return show(folders);
        }
    }

    private int show(List<Path> folders) {
        return page ? page(folders) : stream(folders);
    }

    private int page(List<Path> folders) {
        Output out = new Output(spec.commandLine().getOut());
        JsonReporter reporter = new JsonReporter(out, false);
        try (Interruption interruption = Interruption.watch(() -> {});
                TemporaryFolder cache = TemporaryFolder.make("penstock-demo-cache-");
                LivePage live = open(folders, cache.path(), json ? reporter::epoch : report -> {})) {
            String address = live.address().toString();
            out.line(
                    json
                            ? JsonNodeFactory.instance
                                    .objectNode()
                                    .put("event", "serving")
                                    .put("address", address)
                                    .toString()
                            : "the page is at %s until Ctrl-C".formatted(address));
            live.run(interruption.stop());
            interruption.ended();
            return Interruption.STATUS;
        }
    }

    private LivePage open(List<Path> folders, Path cache, Consumer<EpochReport> reports) {
        try {
            return LivePage.open(port == null ? 0 : port, folders, weights, cache, reports);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), Reason.of(e), e);
        }
    }

    private int stream(List<Path> folders) {
        List<String> flags = new ArrayList<>();
        folders.forEach(folder -> flags.addAll(List.of("--source", "images:" + folder)));
        if (folders.size() > 1) {
            flags.addAll(
                    List.of("--weights", weights.stream().map(String::valueOf).collect(Collectors.joining(","))));
        }
        flags.addAll(List.of(
                "--resize",
                "224",
                "--cache-ram",
                "50%",
                "--augment",
                "crop=200,flip",
                "--batch",
                "64",
                "--epochs",
                "3"));
        if (json) {
            flags.add("--json");
        }
        Output out = new Output(spec.commandLine().getOut());
        StreamOptions options = CommandLine.populateSpec(StreamOptions.class, flags.toArray(String[]::new));
        if (!json) {
            out.line("./penstock stream "
                    + flags.stream().map(DemoCommand::quoted).collect(Collectors.joining(" ")));
        }
        try (StreamPlan<?> plan = StreamPlan.of(options)) {
            Reporter reporter = json ? new JsonReporter(out, false) : new DemoReporter(out);
            return StreamRun.of(plan, reporter, err(), !json && Terminal.onStandardError()) ? 0 : Interruption.STATUS;
        }
    }

    /** A word for a shell. */
    private static String quoted(String word) {
        return word.matches("[\\w@%+=:,./-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
    }

    private PrintWriter err() {
        return spec.commandLine().getErr();
    }
}

package io.penstock.cli.demo;

import io.penstock.cli.console.Interruption;
import io.penstock.cli.console.ProgressLine;
import io.penstock.cli.console.TemporaryFolder;
import io.penstock.cli.flag.NumberFlag;
import io.penstock.cli.flag.OutputFlags;
import io.penstock.cli.report.EpochReport;
import io.penstock.cli.report.JsonReporter;
import io.penstock.cli.report.Reporter;
import io.penstock.cli.source.SourceSpec;
import io.penstock.cli.stream.Run;
import io.penstock.cli.stream.StreamFlags;
import io.penstock.pictures.PictureFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code penstock demo}: the main job on pictures that it makes itself. */
@Command(
        name = "demo",
        sortOptions = false,
        abbreviateSynopsis = true,
        description =
                "Make a small labelled data set and stream it three times: decode, resize, cache, augment, batch.")
public final class DemoCommand implements Callable<Integer> {

    @Mixin
    private final OutputFlags output = new OutputFlags();

    @Option(names = "--data", paramLabel = "SOURCE")
    private @Nullable List<String> data;

    @Option(names = "--weights", paramLabel = "A,B,…", split = ",", converter = NumberFlag.Weight.class)
    private List<Double> weights = List.of();

    @Option(names = "--images", paramLabel = "N", defaultValue = "640", converter = NumberFlag.Pictures.class)
    private Integer images;

    @Option(names = "--page")
    private boolean page;

    @Option(names = "--port", paramLabel = "N", converter = NumberFlag.Port.class)
    private @Nullable Integer port;

    @Override
    public Integer call() {
        if (port != null && !page) {
            throw output.wrong("--port needs --page");
        }
        if (data != null && data.size() != Math.max(1, weights.size())) {
            throw output.wrong(
                    "--weights needs one weight for each --data: %d for %d".formatted(weights.size(), data.size()));
        }
        if (data != null) {
            return show(data.stream().map(DemoCommand::source).toList());
        }
        if (images < PictureFolder.CLASSES * weights.size()) {
            throw output.wrong("--images must be at least %d for each of the --weights: %d for %d"
                    .formatted(PictureFolder.CLASSES, images, weights.size()));
        }
        try (TemporaryFolder folder = TemporaryFolder.make("penstock-demo-")) {
            if (!output.json()) {
                output.err().println("making %d pictures in %s".formatted(images, folder.path()));
                output.err().flush();
            }
            List<Path> folders = weights.isEmpty()
                    ? List.of(folder.path())
                    : IntStream.rangeClosed(1, weights.size())
                            .mapToObj(i -> folder.path().resolve("source-" + i))
                            .toList();
            ProgressLine progress = output.progress(images);
            (page
                            ? PictureFolder.writeWithMasks(folders, images, folder::isGivenUp)
                            : PictureFolder.write(folders, images, folder::isGivenUp))
                    .doOnNext(made -> progress.showIfDue("making pictures", made, "pictures", ""))
                    .blockLast();
            progress.clear();
            if (folder.isGivenUp()) {
                return Interruption.STATUS;
            }
            if (!output.json() && !page) {
                folder.keep(); // the printed command names it
            }
            return show(folders.stream()
                    .map(page ? DemoCommand::withMasks : each -> source(each.toString()))
                    .toList());
        }
    }

    private static String source(String data) {
        return data.indexOf(':') < 0 || Files.isDirectory(Path.of(data)) ? "images:" + data : data;
    }

    static String withMasks(Path folder) {
        return "pairs:%s,%s".formatted(folder, folder.resolve(PictureFolder.MASKS));
    }

    private int show(List<String> sources) {
        return page ? page(sources) : stream(sources);
    }

    private int page(List<String> sources) {
        JsonReporter reporter = new JsonReporter(output.out(), false);
        Consumer<EpochReport> reports = output.json() ? reporter::epoch : report -> {};
        try (Interruption interruption = Interruption.watch(() -> {});
                TemporaryFolder cache = TemporaryFolder.make("penstock-demo-cache-");
                LivePage live = output.checked(
                        () -> LivePage.open(port == null ? 0 : port, sources, weights, cache.path(), reports))) {
            String address = live.address().toString();
            output.serving("the page is at %s until Ctrl-C".formatted(address), address);
            live.run(interruption.stop());
            interruption.ended();
            return Interruption.STATUS;
        }
    }

    private int stream(List<String> sources) {
        List<String> words = new ArrayList<>();
        sources.forEach(source -> words.addAll(List.of("--source", source)));
        if (sources.size() > 1) {
            words.addAll(
                    List.of("--weights", weights.stream().map(String::valueOf).collect(Collectors.joining(","))));
        }
        words.addAll(List.of("--resize 224 --cache-ram 50% --augment crop=200,flip --batch 64 --epochs 3".split(" ")));
        if (sources.stream().anyMatch(source -> SourceSpec.parse(source).isAnnotated())) {
            words.add("--pad"); // pictures have as many boxes as they like
        }
        StreamFlags flags = StreamFlags.parse(words.toArray(String[]::new));
        if (!output.json()) {
            output.out()
                    .line("./penstock stream "
                            + words.stream().map(DemoCommand::quoted).collect(Collectors.joining(" ")));
        }
        try (Run<?> run = flags.open()) {
            Reporter reporter = output.json() ? new JsonReporter(output.out(), false) : new DemoReporter(output.out());
            return flags.deliver(run, reporter, output.err(), output.isWatched()) ? 0 : Interruption.STATUS;
        }
    }

    private static String quoted(String word) {
        return word.matches("[\\w@%+=:,./-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}

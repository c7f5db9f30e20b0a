package io.penstock.cli.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.cli.report.EpochReport;
import io.penstock.cli.report.Headroom;
import io.penstock.cli.report.Reporter;
import io.penstock.cli.report.RunReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What docs/grafana.json and docs/alerts.json ask for is on the page of a run. */
class DashboardTest {

    private static final Path DOCS = Path.of(System.getProperty("penstock.root"), "docs");
    private static final Pattern METRIC = Pattern.compile("\\bpenstock_[a-z_]+");
    private static final Pattern LABELS =
            Pattern.compile("\\b(?:by|on) \\(([a-z, ]+)\\)|([a-z]+)=~?\"|\\{\\{ ?(?:\\$labels\\.)?([a-z]+) ?}}");

    /** Prometheus adds these to every series. */
    private static final Set<String> OF_PROMETHEUS = Set.of("job", "instance");

    @TempDir
    private static Path folder;

    private static final Set<String> NAMES = new HashSet<>();
    private static final Set<String> LABEL_NAMES = new HashSet<>(OF_PROMETHEUS);

    /** A run of two sources with a cache, which has all kinds of meters. */
    @BeforeAll
    static void readThePage() throws IOException {
        Path one = Files.write(folder.resolve("one.bin"), new byte[64 * 200]);
        Path two = Files.write(folder.resolve("two.bin"), new byte[64 * 200]);
        StreamFlags flags = StreamFlags.parse(
                "--source records:%s,64 --source records:%s,64 --cache-ram 1MiB --metrics-port 0 --epochs 2"
                        .formatted(one, two)
                        .split(" "));
        try (Run<?> plan = flags.open()) {
            Page page = new Page(URI.create(plan.metrics()));

            assertThat(flags.deliver(plan, page, new PrintWriter(new StringWriter()), false))
                    .isTrue();
        }
    }

    /** Reads the page at the end of the run, when it is still there. */
    private record Page(URI address) implements Reporter {
        @Override
        public void epoch(EpochReport report) {}

        @Override
        public void headroom(Headroom.Report report, String consumer) {}

        @Override
        public void done(RunReport report) {
            try (var in = address.toURL().openStream()) {
                String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
                find(Pattern.compile("^(penstock_[a-z_]+)", Pattern.MULTILINE), text, NAMES);
                find(Pattern.compile("[{,]([a-z]+)=\""), text, LABEL_NAMES);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static void find(Pattern pattern, String text, Set<String> into) {
        pattern.matcher(text).results().map(found -> found.group(1)).forEach(into::add);
    }

    private static JsonNode read(String file) throws IOException {
        return new ObjectMapper().readTree(DOCS.resolve(file).toFile());
    }

    @ParameterizedTest
    @ValueSource(strings = {"grafana.json", "alerts.json"})
    void metrics_ofAFile_areOnThePageOfARun(String file) throws IOException {
        List<String> texts = texts(read(file));
        Set<String> metrics = new TreeSet<>();
        Set<String> labels = new TreeSet<>();
        for (String text : texts) {
            METRIC.matcher(text).results().map(MatchResult::group).forEach(metrics::add);
            LABELS.matcher(text).results().forEach(found -> {
                String names = found.group(1) == null
                        ? found.group(2) == null ? found.group(3) : found.group(2)
                        : found.group(1);
                labels.addAll(List.of(names.split(", ?")));
            });
        }

        assertThat(metrics).hasSizeGreaterThan(6);
        assertThat(NAMES).containsAll(metrics);
        assertThat(LABEL_NAMES).containsAll(labels);
    }

    /** All texts within a tree. */
    private static List<String> texts(JsonNode tree) {
        if (tree.isTextual()) {
            return List.of(tree.asText());
        }
        return StreamSupport.stream(tree.spliterator(), false)
                .flatMap(child -> texts(child).stream())
                .toList();
    }

    @Test
    void panels_ofTheDashboard_doNotOverlap() throws IOException {
        Set<String> cells = new HashSet<>();
        Set<Integer> ids = new HashSet<>();

        for (JsonNode panel : read("grafana.json").path("panels")) {
            JsonNode place = panel.path("gridPos");
            assertThat(ids.add(panel.path("id").asInt())).isTrue();
            assertThat(place.path("x").asInt() + place.path("w").asInt()).isLessThanOrEqualTo(24);
            for (int x = 0; x < place.path("w").asInt(); x++) {
                for (int y = 0; y < place.path("h").asInt(); y++) {
                    assertThat(cells.add((place.path("x").asInt() + x) + ","
                                    + (place.path("y").asInt() + y)))
                            .as(panel.path("title").asText())
                            .isTrue();
                }
            }
        }

        assertThat(ids).hasSizeGreaterThan(10);
    }

    @Test
    void rules_ofTheAlerts_haveWhatPrometheusWants() throws IOException {
        for (JsonNode rule : read("alerts.json").at("/groups/0/rules")) {
            assertThat(rule.path("alert").asText()).matches("Penstock[A-Za-z]+");
            assertThat(rule.path("for").asText()).matches("\\d+m");
            assertThat(rule.at("/labels/severity").asText()).isIn("critical", "warning", "info");
            assertThat(rule.at("/annotations/summary").asText()).isNotBlank();
            assertThat(rule.at("/annotations/description").asText()).isNotBlank();
        }
    }
}

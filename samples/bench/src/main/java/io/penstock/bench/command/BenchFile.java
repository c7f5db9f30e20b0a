package io.penstock.bench.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.bench.Bench;
import io.penstock.bench.Chart;
import io.penstock.bench.Plot;
import io.penstock.bench.Result;
import io.penstock.cache.internal.FreeMemory;
import io.penstock.cli.console.Reason;
import io.penstock.fault.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a benchmark found, as {@code NAME.json} with the machine that it was measured on, and a picture of each chart.
 */
record BenchFile(String name, ObjectNode root) {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path PROCESSORS = Path.of("/proc/cpuinfo");
    private static final String MODEL = "model name";
    private static final String CHART = "chart";

    /** Each figure and each chart as one object, as {@code --json} prints them. */
    static List<ObjectNode> lines(String benchmark, Bench bench) {
        Stream<ObjectNode> figures = bench.results().stream().map(result -> figure(benchmark, result));
        Stream<ObjectNode> charts = bench.charts().stream()
                .map(chart ->
                        JSON.createObjectNode().put("benchmark", benchmark).set(CHART, JSON.valueToTree(chart)));
        return Stream.concat(figures, charts).toList();
    }

    private static ObjectNode figure(String benchmark, Result result) {
        ObjectNode node = JSON.createObjectNode();
        node.put("benchmark", benchmark)
                .put("what", result.what())
                .put("value", result.value())
                .put("unit", result.unit());
        Double limit = result.limit();
        if (limit != null) {
            node.put(result.sense().name().toLowerCase(Locale.ROOT), limit).put("reached", result.reached());
        }
        return node;
    }

    static BenchFile of(String name, boolean quick, List<ObjectNode> lines) {
        ObjectNode root = JSON.createObjectNode();
        root.put("when", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString())
                .put("processor", processor())
                .put("processors", Runtime.getRuntime().availableProcessors())
                .put("memory_bytes", FreeMemory.now().total())
                .put("os", words("os.name", "os.version", "os.arch"))
                .put("java", words("java.vm.name", "java.vm.version", "java.vendor"))
                .put("quick", quick);
        ArrayNode findings = root.putArray("findings");
        ArrayNode charts = root.putArray("charts");
        lines.forEach(line -> {
            if (line.has(CHART)) {
                charts.add(line.get(CHART));
            } else {
                findings.add(line);
            }
        });
        return new BenchFile(name, root);
    }

    private static String words(String... properties) {
        return Stream.of(properties)
                .map(property -> System.getProperty(property, "unknown"))
                .collect(Collectors.joining(" "));
    }

    private static String processor() {
        try (Stream<String> lines = Files.lines(PROCESSORS)) {
            return lines.filter(line -> line.startsWith(MODEL))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse("unknown");
        } catch (IOException e) {
            return "unknown"; // not Linux
        }
    }

    /** Replaces the files of an earlier run. */
    void write(Path folder) {
        try {
            Files.createDirectories(folder);
            Files.writeString(
                    folder.resolve(name + ".json"),
                    JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root) + "\n");
            for (JsonNode each : root.path("charts")) {
                Chart chart = JSON.treeToValue(each, Chart.class);
                Files.write(folder.resolve("%s-%s.png".formatted(name, chart.file())), Plot.png(chart));
            }
        } catch (IOException e) {
            throw new StoreException(
                    "cannot write the figures of \"%s\" to %s: %s".formatted(name, folder, Reason.of(e)), e);
        }
    }
}

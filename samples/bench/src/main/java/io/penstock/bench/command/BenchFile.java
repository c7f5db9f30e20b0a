package io.penstock.bench.command;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.bench.Finding;
import io.penstock.cli.console.Reason;
import io.penstock.fault.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;

/** Findings as a file, with what they were measured on. */
final class BenchFile {

    private static final String NAME = "bench.json";

    private BenchFile() {}

    static void write(Path folder, boolean quick, List<ObjectNode> findings) {
        ObjectMapper json = new ObjectMapper();
        ObjectNode root = json.createObjectNode();
        root.put("when", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString())
                .put("java", System.getProperty("java.vendor") + " " + System.getProperty("java.version"))
                .put("os", System.getProperty("os.name") + " " + System.getProperty("os.arch"))
                .put("processors", Runtime.getRuntime().availableProcessors())
                .put("quick", quick);
        ArrayNode list = root.putArray("findings");
        list.addAll(findings);
        try {
            Files.createDirectories(folder);
            Files.writeString(
                    folder.resolve(NAME), json.writerWithDefaultPrettyPrinter().writeValueAsString(root) + "\n");
        } catch (IOException e) {
            throw new StoreException("cannot write %s: %s".formatted(folder.resolve(NAME), Reason.of(e)), e);
        }
    }

    /** One finding, with its limit where it has one. */
    static ObjectNode node(Finding finding) {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("benchmark", finding.benchmark())
                .put("what", finding.what())
                .put("value", finding.value())
                .put("unit", finding.unit());
        Double limit = finding.limit();
        if (limit != null) {
            node.put("row", finding.row())
                    .put(finding.sense().name().toLowerCase(Locale.ROOT), limit)
                    .put("reached", finding.reached());
        }
        return node;
    }
}

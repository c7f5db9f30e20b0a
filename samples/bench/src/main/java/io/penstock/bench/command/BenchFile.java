package io.penstock.bench.command;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.bench.Result;
import io.penstock.cli.console.Reason;
import io.penstock.fault.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;

/** Results as a file, with the machine that they were measured on. */
final class BenchFile {

    private static final String NAME = "bench.json";

    private BenchFile() {}

    static void write(Path folder, boolean quick, List<ObjectNode> results) {
        ObjectMapper json = new ObjectMapper();
        ObjectNode root = json.createObjectNode();
        root.put("when", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString())
                .put("java", System.getProperty("java.vendor") + " " + System.getProperty("java.version"))
                .put("os", System.getProperty("os.name") + " " + System.getProperty("os.arch"))
                .put("processors", Runtime.getRuntime().availableProcessors())
                .put("quick", quick);
        ArrayNode list = root.putArray("findings");
        list.addAll(results);
        try {
            Files.createDirectories(folder);
            Files.writeString(
                    folder.resolve(NAME), json.writerWithDefaultPrettyPrinter().writeValueAsString(root) + "\n");
        } catch (IOException e) {
            throw new StoreException("cannot write %s: %s".formatted(folder.resolve(NAME), Reason.of(e)), e);
        }
    }

    static ObjectNode node(String benchmark, Result result) {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("benchmark", benchmark)
                .put("what", result.what())
                .put("value", result.value())
                .put("unit", result.unit());
        Double limit = result.limit();
        if (limit != null) {
            node.put("row", result.row())
                    .put(result.sense().name().toLowerCase(Locale.ROOT), limit)
                    .put("reached", result.reached());
        }
        return node;
    }
}

package io.penstock.quarantine;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.fault.FormatException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** One quarantined sample as a line of JSON, without its newline. */
final class Line {

    /** The longest that is read; ours are at most 100 KB, every text at its longest and every character escaped. */
    static final int LONGEST = 1 << 18;

    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private Line() {}

    static byte[] write(QuarantinedSample sample) {
        ObjectNode node = JSON.createObjectNode()
                .put("index", sample.index())
                .put("name", sample.name())
                .put("stage", sample.stage())
                .put("cause", sample.cause())
                .put("message", sample.message());
        try {
            return JSON.writeValueAsBytes(node);
        } catch (IOException e) {
            throw new IllegalStateException("a quarantined sample is always JSON", e);
        }
    }

    /**
     * The sample of a line; what else it holds is for later versions.
     * @throws FormatException if it is none, in words that follow the place
     */
    static QuarantinedSample read(byte[] bytes, int length) {
        JsonNode node;
        try {
            node = JSON.readTree(bytes, 0, length);
        } catch (IOException e) {
            String start = new String(bytes, 0, Math.min(length, 40), StandardCharsets.UTF_8);
            throw new FormatException("is not JSON: starts with \"%s\"".formatted(start.strip()), e);
        }
        JsonNode index = node.path("index");
        if (!index.canConvertToLong() || !index.isIntegralNumber()) {
            throw new FormatException("has no whole number \"index\"");
        }
        return new QuarantinedSample(
                index.longValue(), text(node, "name"), text(node, "stage"), text(node, "cause"), text(node, "message"));
    }

    private static String text(JsonNode node, String field) {
        if (!node.path(field).isTextual()) {
            throw new FormatException("has no text \"%s\"".formatted(field));
        }
        return node.path(field).textValue();
    }
}

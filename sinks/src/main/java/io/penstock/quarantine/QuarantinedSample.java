package io.penstock.quarantine;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.fault.FormatException;
import io.penstock.fault.SampleException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * A sample that failed, as a quarantine file tells it.
 *
 * @param index   in its dataset
 * @param name    the sample's own, such as its path
 * @param stage   that failed
 * @param cause   the class of what it threw
 * @param message of what it threw; empty if it had none
 */
public record QuarantinedSample(long index, String name, String stage, String cause, String message) {

    /** The longest line that is read. Ours have at most 100 KB, even if every character is escaped. */
    static final int LONGEST_LINE = 1 << 18;

    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private static final int LONGEST_TEXT = 4096;

    static QuarantinedSample of(SampleException failure) {
        Throwable cause = failure.getCause() == null ? failure : failure.getCause();
        String message = cause.getMessage() == null ? "" : cause.getMessage();
        return new QuarantinedSample(
                failure.index(),
                text(failure.name()),
                text(failure.stage()),
                cause.getClass().getName(),
                text(message));
    }

    /** What fits on a line, without halves of surrogate pairs, which UTF-8 cannot hold. */
    private static String text(String text) {
        String start = text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT);
        return new String(start.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }

    /** A line of JSON, without its newline. */
    byte[] line() {
        ObjectNode node = JSON.createObjectNode()
                .put("index", index)
                .put("name", name)
                .put("stage", stage)
                .put("cause", cause)
                .put("message", message);
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

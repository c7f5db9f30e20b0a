package io.penstock.zarr.internal.element;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.penstock.fault.FormatException;
import io.penstock.internal.HeapLimit;
import io.penstock.internal.JsonReason;
import io.penstock.tensor.Shape;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Metadata documents, as strictly as they must be read: bounded in depth, with errors that name the field. */
public final class MetadataJson {

    /** Consolidated metadata of thousands of arrays stays below it. Parsed, a document takes many times its bytes. */
    public static final int MAX_BYTES = (int) HeapLimit.of(64 << 20, 16);

    private static final int DEEPEST = 100;
    private static final int BRIEF = 80;
    private static final int MAX_AXES = 64;

    // NaN as a bare word is what Python's json module writes
    private static final ObjectMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(DEEPEST)
                            .maxDocumentLength(MAX_BYTES)
                            .build())
                    .build())
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private static final ObjectMapper SORTED = JsonMapper.builder()
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .build();

    private MetadataJson() {}

    public static JsonNode parse(ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.duplicate().get(copy);
        return parse(copy);
    }

    public static JsonNode parse(byte[] bytes) {
        try {
            JsonNode node = MAPPER.readTree(bytes);
            if (node == null || node.isMissingNode()) {
                throw new FormatException("not JSON: nothing there");
            }
            return node;
        } catch (JsonProcessingException e) {
            throw new FormatException("not JSON: " + JsonReason.of(e.getOriginalMessage()), e);
        } catch (IOException e) {
            throw new FormatException("not JSON: " + e.getMessage(), e);
        }
    }

    public static JsonNode object(JsonNode node, String what) {
        if (!node.isObject()) {
            throw wrong(what, "an object", node);
        }
        return node;
    }

    public static JsonNode array(JsonNode node, String what) {
        if (!node.isArray()) {
            throw wrong(what, "a list", node);
        }
        return node;
    }

    public static String text(JsonNode node, String what) {
        if (!node.isTextual()) {
            throw wrong(what, "a text", node);
        }
        return node.textValue();
    }

    /** One of two words, or another where none is there. */
    public static String oneOf(JsonNode object, String field, String otherwise, String one, String other) {
        String word = object.path(field).asText(otherwise);
        if (!word.equals(one) && !word.equals(other)) {
            throw new FormatException("\"%s\" must be \"%s\" or \"%s\", was \"%s\"".formatted(field, one, other, word));
        }
        return word;
    }

    public static long integer(JsonNode node, String what) {
        // axis lengths are written as 10.0 by some
        boolean integral = node.isIntegralNumber() && node.canConvertToLong()
                || node.isFloatingPointNumber() && node.doubleValue() == (long) node.doubleValue();
        if (!integral) {
            throw wrong(what, "an integer", node);
        }
        return node.longValue();
    }

    public static int integer(JsonNode object, String field, int otherwise, int from, int to) {
        JsonNode node = object.path(field);
        if (node.isMissingNode() || node.isNull()) {
            return otherwise;
        }
        long value = integer(node, field);
        if (value < from || value > to) {
            throw new FormatException("\"%s\" must be in [%d, %d], was %d".formatted(field, from, to, value));
        }
        return (int) value;
    }

    public static double number(JsonNode object, String field) {
        JsonNode node = object.path(field);
        if (!node.isNumber()) {
            throw wrong(field, "a number", node);
        }
        return node.doubleValue();
    }

    public static Shape shape(JsonNode node, String what) {
        array(node, what);
        if (node.size() > MAX_AXES) {
            throw new FormatException(
                    "\"%s\" must have at most %d axes, has %d".formatted(what, MAX_AXES, node.size()));
        }
        long[] dims = new long[node.size()];
        for (int i = 0; i < dims.length; i++) {
            dims[i] = integer(node.get(i), what);
        }
        try {
            return Shape.of(dims);
        } catch (IllegalArgumentException e) {
            throw new FormatException("\"%s\" is no shape: %s".formatted(what, e.getMessage()), e);
        }
    }

    static FormatException wrong(String what, String expected, JsonNode came) {
        return new FormatException(
                "\"%s\" must be %s, was %s".formatted(what, expected, came.isMissingNode() ? "left out" : brief(came)));
    }

    /** Enough of it to be recognised in a message. */
    public static String brief(JsonNode node) {
        String text = node.toString();
        return text.length() <= BRIEF ? text : text.substring(0, BRIEF) + "…";
    }

    /** One line with the keys of objects in order. */
    public static String sorted(JsonNode node) {
        try {
            return SORTED.writeValueAsString(
                    SORTED.treeToValue(node, Object.class)); // maps, which are sorted as they go
        } catch (JsonProcessingException e) {
            throw new FormatException("cannot write JSON: " + e.getOriginalMessage(), e);
        }
    }
}

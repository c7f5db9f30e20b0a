package io.penstock.store;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.penstock.fault.FormatException;
import java.io.IOException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads one line of a manifest at a time. */
final class ManifestParser {

    /** RFC 9110, section 8.8.3. */
    private static final Pattern TAG = Pattern.compile("(?:W/)?\"[\\x21\\x23-\\x7E\\x80-\\xFF]*\"");

    private final JsonFactory json;

    private @Nullable String key;
    private long bytes = -1;
    private @Nullable Checksum checksum;
    private @Nullable String etag;
    private @Nullable String label;
    private int number = -1;

    ManifestParser(JsonFactory json) {
        this.json = json.rebuild()
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .build();
    }

    /** The line of this number, which is for messages. */
    Manifest.Line parse(byte[] line, String manifest, int lineNumber) {
        key = null;
        bytes = -1;
        checksum = null;
        etag = null;
        label = null;
        number = -1;
        try (JsonParser parser = json.createParser(line)) {
            require(parser.nextToken() == JsonToken.START_OBJECT, "is not a JSON object");
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String field = parser.currentName();
                parser.nextToken();
                field(field, parser);
            }
            require(parser.nextToken() == null, "has more than one JSON object");
            String found = key;
            if (found == null || found.isEmpty()) {
                throw new FormatException("has no \"key\"");
            }
            return new Manifest.Line(found, bytes, checksum, etag, label, number);
        } catch (IOException e) {
            throw at(manifest, lineNumber, "is not JSON", e);
        } catch (FormatException e) {
            throw at(manifest, lineNumber, String.valueOf(e.getMessage()), e);
        }
    }

    private static FormatException at(String manifest, int line, String what, Exception cause) {
        return new FormatException("manifest %s, line %d: %s".formatted(manifest, line, what), cause);
    }

    private void field(String field, JsonParser parser) throws IOException {
        JsonToken token = parser.currentToken();
        if (token == JsonToken.VALUE_NULL) {
            return;
        }
        switch (field) {
            case "key" -> key = text(field, parser);
            case "bytes" -> {
                require(token == JsonToken.VALUE_NUMBER_INT, "\"bytes\" is not a whole number");
                bytes = whole(parser, Long.MAX_VALUE, field);
            }
            case "checksum" -> checksum = Checksum.parse(text(field, parser));
            case "etag" -> {
                String tag = text(field, parser);
                require(TAG.matcher(tag).matches(), "\"etag\" is not an entity tag in its quotes: " + tag);
                etag = tag;
            }
            case "label" -> {
                if (token == JsonToken.VALUE_NUMBER_INT) {
                    number = (int) whole(parser, Integer.MAX_VALUE, field);
                } else {
                    label = text(field, parser);
                }
            }
            default -> parser.skipChildren();
        }
    }

    private static String text(String field, JsonParser parser) throws IOException {
        require(parser.currentToken() == JsonToken.VALUE_STRING, "\"" + field + "\" is not a string");
        return parser.getText();
    }

    private static long whole(JsonParser parser, long max, String field) throws IOException {
        JsonParser.NumberType type = parser.getNumberType();
        long value = type == JsonParser.NumberType.BIG_INTEGER ? -1 : parser.getLongValue();
        require(value >= 0 && value <= max, "\"%s\" is not in [0, %d]".formatted(field, max));
        return value;
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new FormatException(otherwise);
        }
    }
}

package io.penstock.table.internal.delimited;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import io.penstock.internal.JsonReason;
import io.penstock.store.internal.Utf8;
import io.penstock.table.internal.ColumnBuilder;
import io.penstock.table.internal.ColumnType;
import io.penstock.tensor.DType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the chosen fields of the object in each line. A field of an object within has a point in its name. A line is
 * refused for damaged JSON, a name that is there twice in an object, or half of a surrogate pair, whichever fields are
 * chosen; for a value that is none of its type, if its field is chosen, as others have no type.
 */
final class JsonRows implements RecordReader {

    /** Python writes NaN and Infinity as they are. */
    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private static final String HALF = "half of a surrogate pair is no character: write both, or neither";

    private final Map<String, Integer> columns = new HashMap<>();
    private final Set<String> objects = new HashSet<>();

    JsonRows(List<ColumnType> types) {
        for (int i = 0; i < types.size(); i++) {
            String name = types.get(i).name();
            columns.put(name, i);
            for (int point = name.indexOf('.'); point >= 0; point = name.indexOf('.', point + 1)) {
                objects.add(name.substring(0, point));
            }
        }
    }

    @Override
    public void read(byte[] bytes, int from, int to, RowSink sink) {
        try (JsonParser parser = JSON.createParser(bytes, from, to - from)) {
            JsonToken first = parser.nextToken();
            if (first == JsonToken.START_ARRAY) {
                throw new CellFault(
                        "it is an array, not an object; where the file is one array, jq -c '.[]' makes lines of it");
            }
            if (first != JsonToken.START_OBJECT) {
                throw new CellFault("it is no JSON object");
            }
            object(parser, null, sink);
            if (parser.nextToken() != null) {
                throw new CellFault("more follows the JSON object");
            }
        } catch (JsonProcessingException e) {
            if (e.getOriginalMessage().startsWith("Duplicate") && e.getProcessor() instanceof JsonParser parser) {
                String path = parser.getParsingContext().pathAsPointer().toString();
                throw CellFault.of(path.substring(1).replace('/', '.'), RowSink.TWICE);
            }
            throw new CellFault("it is damaged JSON: %s (byte %d of the line)"
                    .formatted(
                            JsonReason.of(e.getOriginalMessage()),
                            e.getLocation().getByteOffset()));
        } catch (IOException e) {
            throw new UncheckedIOException(e); // memory has no faults
        }
    }

    private void object(JsonParser parser, @Nullable String within, RowSink sink) throws IOException {
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = within == null ? parser.currentName() : within + "." + parser.currentName();
            JsonToken value = parser.nextToken();
            Integer column = columns.get(name);
            if (column != null) {
                value(parser, column, sink);
            } else if (value == JsonToken.START_OBJECT && objects.contains(name)) {
                object(parser, name, sink);
            } else {
                skip(parser, name);
            }
        }
    }

    /** Passes over a value. The parser checks names, but decodes a text only if it is asked for it. */
    private static void skip(JsonParser parser, String name) throws IOException {
        int depth = 0;
        do {
            JsonToken token = parser.currentToken();
            if (token == JsonToken.VALUE_STRING) {
                requirePairs(parser, name);
            }
            depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
        } while (depth > 0 && parser.nextToken() != null);
    }

    private static void requirePairs(JsonParser parser, String name) throws IOException {
        char[] text = parser.getTextCharacters();
        int end = parser.getTextOffset() + parser.getTextLength();
        for (int i = parser.getTextOffset(); i < end; i++) {
            if (Character.isSurrogate(text[i]) && Utf8.hasHalfPair(parser.getText())) {
                throw CellFault.of(name, HALF);
            }
        }
    }

    private static void value(JsonParser parser, int column, RowSink sink) throws IOException {
        ColumnType type = sink.type(column);
        JsonToken token = parser.currentToken();
        if (token == JsonToken.VALUE_NULL) {
            sink.missing(column);
        } else if (type.lists() > 0) {
            requireList(parser, type);
            elements(parser, type, 0, sink.list(column));
        } else if (type.bytes()) {
            sink.text(column, text(parser, type));
        } else {
            sink.number(column, bits(parser, type));
        }
    }

    private static void elements(JsonParser parser, ColumnType type, int level, ColumnBuilder builder)
            throws IOException {
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            if (level + 1 < type.lists()) {
                requireList(parser, type);
                builder.element(level);
                builder.list(level + 1);
                elements(parser, type, level + 1, builder);
            } else if (parser.currentToken() == JsonToken.VALUE_NULL) {
                builder.element(level);
                builder.missing(true);
            } else if (type.bytes()) {
                byte[] text = text(parser, type);
                builder.element(level);
                builder.add(text, 0, text.length);
            } else {
                long bits = bits(parser, type);
                builder.element(level);
                builder.add(bits);
            }
        }
    }

    private static void requireList(JsonParser parser, ColumnType type) {
        if (parser.currentToken() != JsonToken.START_ARRAY) {
            throw wrong(parser, type, "a list");
        }
    }

    private static byte[] text(JsonParser parser, ColumnType type) throws IOException {
        if (parser.currentToken() != JsonToken.VALUE_STRING) {
            throw wrong(parser, type, "a text");
        }
        requirePairs(parser, type.name());
        return parser.getText().getBytes(StandardCharsets.UTF_8);
    }

    private static long bits(JsonParser parser, ColumnType type) throws IOException {
        DType dtype = type.dtype();
        JsonToken token = parser.currentToken();
        if (dtype == DType.BOOL) {
            if (!token.isBoolean()) {
                throw wrong(parser, type, "true or false");
            }
            return token == JsonToken.VALUE_TRUE ? 1 : 0;
        }
        if (!token.isNumeric()) {
            throw wrong(parser, type, "a number");
        }
        return switch (dtype) {
            case F64 -> Double.doubleToRawLongBits(parser.getDoubleValue());
            case F32, F16, BF16 -> CellText.ofFloat(dtype, parser.getFloatValue());
            default ->
                token == JsonToken.VALUE_NUMBER_INT && parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER
                        ? CellText.inRange(type, parser.getLongValue())
                        : CellText.bits(type, parser.getText());
        };
    }

    private static CellFault wrong(JsonParser parser, ColumnType type, String wanted) {
        JsonToken token = parser.currentToken();
        String found = switch (token == null ? JsonToken.NOT_AVAILABLE : token) {
            case START_OBJECT -> "an object";
            case START_ARRAY -> "a list";
            case VALUE_STRING -> "a text";
            case VALUE_TRUE, VALUE_FALSE -> "true or false";
            case VALUE_NULL -> "null";
            default -> "a number";
        };
        return CellFault.of(type.name(), "%s is wanted, it is %s".formatted(wanted, found));
    }
}

package io.penstock.mds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.fault.FormatException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What {@code index.json} says: the columns, which all shards share, and the shards in their order.
 *
 * @param columns as they lie in a sample
 */
record MdsIndex(List<Column> columns, List<Shard> shards) {

    static final String NAME = "index.json";

    private static final int VERSION = 2;
    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * A column.
     *
     * @param size of each value in bytes; 0 where each has its own
     */
    record Column(String name, String encoding, int size) {}

    /**
     * A file of samples.
     *
     * @param hashes of its bytes, by their names; empty if none were computed
     * @param zip    the same compressed; null if it is not
     */
    record Shard(
            String key,
            long bytes,
            Map<String, String> hashes,
            @Nullable Zip zip,
            int samples) {}

    /** A compressed shard. */
    record Zip(String key, long bytes) {}

    /**
     * Parses one.
     * @throws FormatException if it is damaged, or of another version or format
     */
    static MdsIndex parse(ByteBuffer bytes, String name) {
        byte[] text = new byte[bytes.remaining()];
        bytes.get(bytes.position(), text);
        try {
            JsonNode index = JSON.readTree(text);
            require(index != null && index.isObject(), "is not a JSON object");
            require(index.path("version").asInt() == VERSION, "is of version %s, not 2", index.path("version"));
            JsonNode shards = index.path("shards");
            require(shards.isArray() && !shards.isEmpty(), "has no shards");
            List<Column> columns = columns(shards.get(0));
            List<Shard> all = new ArrayList<>(shards.size());
            Set<String> keys = new HashSet<>();
            for (JsonNode shard : shards) {
                Shard one = shard(shard);
                require(
                        columns(shard).equals(columns),
                        "has shards with different columns: %s in %s, %s in the first",
                        columns(shard),
                        one.key,
                        columns);
                Zip zip = one.zip;
                require(keys.add(one.key) && (zip == null || keys.add(zip.key)), "names a shard twice: %s", one.key);
                all.add(one);
            }
            return new MdsIndex(columns, all);
        } catch (IOException e) {
            throw new FormatException("%s is not JSON: it may be cut off; fetch it again".formatted(name), e);
        } catch (FormatException e) {
            throw new FormatException("%s %s".formatted(name, e.getMessage()), e);
        }
    }

    private static List<Column> columns(JsonNode shard) {
        JsonNode names = shard.path("column_names");
        JsonNode encodings = shard.path("column_encodings");
        JsonNode sizes = shard.path("column_sizes");
        require(
                names.isArray() && !names.isEmpty() && encodings.size() == names.size() && sizes.size() == names.size(),
                "does not have one encoding and one size for each column name");
        List<Column> columns = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            JsonNode size = sizes.get(i);
            require(size.isNull() || size.canConvertToInt() && size.asInt() >= 0, "has a column of size %s", size);
            columns.add(new Column(text(names.get(i)), text(encodings.get(i)), size.asInt(0)));
        }
        require(
                columns.stream().map(Column::name).distinct().count() == columns.size(),
                "has two columns of one name: %s",
                columns);
        return columns;
    }

    private static Shard shard(JsonNode shard) {
        String format = shard.path("format").asText();
        require(format.equals("mds"), "has shards of format \"%s\": only mds can be read", format);
        require(shard.path("version").asInt() == VERSION, "has shards of version %s, not 2", shard.path("version"));
        JsonNode raw = shard.path("raw_data");
        Map<String, String> hashes = new TreeMap<>();
        for (Map.Entry<String, JsonNode> hash : raw.path("hashes").properties()) {
            hashes.put(hash.getKey(), text(hash.getValue()));
        }
        JsonNode zip = shard.path("zip_data");
        JsonNode samples = shard.path("samples");
        require(samples.isInt() && samples.asInt() >= 0, "has a shard with %s samples", samples);
        if (!zip.isObject()) {
            return new Shard(key(raw), bytes(raw), hashes, null, samples.asInt());
        }
        String compression = shard.path("compression").asText();
        require(
                compression.matches("(zstd|gz)(:\\d+)?"),
                "has shards compressed with \"%s\": only zstd and gz can be read",
                compression);
        return new Shard(key(raw), bytes(raw), hashes, new Zip(key(zip), bytes(zip)), samples.asInt());
    }

    /** A file next to the index, or in a folder there: names are never followed out of it. */
    private static String key(JsonNode file) {
        String name = text(file.path("basename"));
        boolean within = !name.isEmpty()
                && Arrays.stream(name.split("/", -1))
                        .noneMatch(part -> part.isEmpty() || part.equals(".") || part.equals(".."));
        require(within, "names a shard \"%s\", which is no file next to it", name);
        return name;
    }

    private static long bytes(JsonNode file) {
        JsonNode bytes = file.path("bytes");
        require(bytes.canConvertToLong() && bytes.asLong() >= 0, "has a shard of %s bytes", bytes);
        return bytes.asLong();
    }

    private static String text(JsonNode value) {
        require(value.isTextual(), "has %s where a text should be", value);
        return value.asText();
    }

    @SuppressWarnings("AnnotateFormatMethod") // its annotation is in a library of its own
    private static void require(boolean condition, String message, Object... values) {
        if (!condition) {
            throw new FormatException(message.formatted(values));
        }
    }
}

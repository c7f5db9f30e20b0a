package io.penstock.mds;

import com.github.luben.zstd.Zstd;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.GZIPOutputStream;

/** Writes the format MDS as its documentation has it, for tests: shards and an index. */
public final class MdsMaker {

    private final List<String> names = new ArrayList<>();
    private final List<String> encodings = new ArrayList<>();
    private final List<Integer> sizes = new ArrayList<>(); // 0 for none in common
    private final List<String> shards = new ArrayList<>();
    private String compression = "";
    private boolean hashed;

    /** A column; they are added in the order of their names. */
    public MdsMaker column(String name, String encoding, int size) {
        names.add(name);
        encodings.add(encoding);
        sizes.add(size);
        return this;
    }

    /** Compresses shards from now on: zstd or gz. */
    public MdsMaker compressed(String algorithm) {
        compression = algorithm;
        return this;
    }

    /** Hashes shards from now on. */
    public MdsMaker hashed() {
        hashed = true;
        return this;
    }

    /** The bytes of a shard. A sample is a value for each column. */
    public byte[] shard(List<List<byte[]>> samples) {
        byte[] config = json("").getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream heads = new ByteArrayOutputStream();
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        int first = 4 + 4 * (samples.size() + 1) + config.length;
        heads.writeBytes(u32(samples.size()));
        for (List<byte[]> sample : samples) {
            heads.writeBytes(u32(first + body.size()));
            for (int i = 0; i < sizes.size(); i++) {
                if (sizes.get(i) == 0) {
                    body.writeBytes(u32(sample.get(i).length));
                }
            }
            sample.forEach(body::writeBytes);
        }
        heads.writeBytes(u32(first + body.size()));
        heads.writeBytes(config);
        heads.writeBytes(body.toByteArray());
        return heads.toByteArray();
    }

    /** Writes a shard into a folder; {@link #index} names it. */
    public MdsMaker write(Path folder, List<List<byte[]>> samples) throws IOException {
        byte[] raw = shard(samples);
        String name = "shard.%05d.mds".formatted(shards.size());
        String zip = "null";
        if (compression.isEmpty()) {
            Files.write(folder.resolve(name), raw);
        } else {
            byte[] packed = compression.startsWith("zstd") ? Zstd.compress(raw) : gzip(raw);
            String zipName = name + "." + compression.replaceAll(":.*", "");
            Files.write(folder.resolve(zipName), packed);
            zip = info(zipName, packed);
        }
        shards.add(json(
                ",\"samples\":%d,\"raw_data\":%s,\"zip_data\":%s".formatted(samples.size(), info(name, raw), zip)));
        return this;
    }

    /** Writes the index of all shards. */
    public void index(Path folder) throws IOException {
        Files.writeString(
                folder.resolve("index.json"), "{\"version\":2,\"shards\":[%s]}".formatted(String.join(",", shards)));
    }

    private String json(String more) {
        List<String> lengths = sizes.stream()
                .map(size -> size == 0 ? "null" : Integer.toString(size))
                .toList();
        String used = compression.isEmpty() ? "null" : "\"" + compression + "\"";
        return ("{\"version\":2,\"format\":\"mds\",\"size_limit\":67108864,\"hashes\":[%s],\"compression\":%s,"
                        + "\"column_names\":%s,\"column_encodings\":%s,\"column_sizes\":%s%s}")
                .formatted(hashed ? "\"sha1\"" : "", used, texts(names), texts(encodings), lengths, more);
    }

    private static String texts(List<String> words) {
        return words.stream().map(word -> "\"" + word + "\"").toList().toString();
    }

    private String info(String name, byte[] bytes) {
        String hash = hashed ? "\"sha1\":\"" + sha1(bytes) + "\"" : "";
        return "{\"basename\":\"%s\",\"bytes\":%d,\"hashes\":{%s}}".formatted(name, bytes.length, hash);
    }

    private static String sha1(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] gzip(byte[] raw) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write(raw);
        }
        return packed.toByteArray();
    }

    /** Four bytes, the lowest first. */
    public static byte[] u32(int value) {
        return ByteBuffer.allocate(4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(value)
                .array();
    }

    /** Eight bytes, the lowest first. */
    public static byte[] i64(long value) {
        return ByteBuffer.allocate(8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(value)
                .array();
    }
}

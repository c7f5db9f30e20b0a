package io.penstock.store;

import com.fasterxml.jackson.core.JsonFactory;
import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.internal.HeapLimit;
import io.penstock.store.internal.Waiting;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The list of a data set's files where nothing can be listed: one JSON object a line, in UTF-8.
 * <pre>{@code
 *  {"key":"cat/1.jpg","bytes":10240,"checksum":"sha256:9f86…","label":"cat"}
 *  {"key":"dog/6.jpg","bytes":9211,"etag":"\"5f2c-61d\""}
 *  {"key":"dog/7.jpg"}
 * }</pre>
 * <p>{@code key} is required; {@code bytes} is the size, {@code checksum} is SHA-256 or CRC32C in hexadecimal, {@code
 * etag} the entity tag as the server sends it, quotes included, {@code label} a word or a number from 0 on. Other
 * fields are passed over, empty lines too. A key stands once.
 *
 * <p>At most 1 GiB, or what the heap has room for, in lines of at most {@value #MAX_LINE}. Memory: some 200 bytes and
 * its key a line, and the text while it is read.
 */
public final class Manifest {

    /** A manifest that inflates is in a buffer that doubles. */
    static final int MAX_BYTES = (int) HeapLimit.of(1 << 30, 3);

    static final int MAX_LINE = 64 << 10;

    private final String name;
    private final List<Line> lines;
    private final Checksum checksum;

    /**
     * One entry.
     *
     * @param key      of the bytes in the store
     * @param bytes    their number, -1 where it does not say
     * @param checksum of them; null where it does not say
     * @param etag     that a server sends with them, quotes included; null where it does not say
     * @param label    a word; null where there is none or it is a number
     * @param number   a label that is a number; -1 where there is none or it is a word
     */
    public record Line(
            String key,
            long bytes,
            @Nullable Checksum checksum,
            @Nullable String etag,
            @Nullable String label,
            int number) {

        public Line {
            if (key.isEmpty() || bytes < -1 || number < -1 || label != null && number >= 0) {
                throw new IllegalArgumentException("not a line of a manifest: key \"%s\", bytes %d, label %s or %d"
                        .formatted(key, bytes, label, number));
            }
        }
    }

    private Manifest(String name, List<Line> lines, Checksum checksum) {
        this.name = name;
        this.lines = lines;
        this.checksum = checksum;
    }

    /**
     * Reads the manifest at a key of a store. Blocks until done.
     * @throws StoreException if it is not there, cannot be read, or is too large
     * @throws FormatException if a line is not what it should be
     */
    public static Manifest open(Store store, String key) {
        ByteBuffer text = Waiting.forValue(store.find(key, MAX_BYTES, MAX_LINE)
                .switchIfEmpty(
                        Mono.error(() -> new StoreException("no manifest %s in %s".formatted(key, store.location())))));
        return parse(key + " in " + store.location(), text);
    }

    /**
     * Reads a manifest's text.
     * @param name for messages
     * @throws FormatException if a line is not what it should be, or there is none
     */
    public static Manifest parse(String name, ByteBuffer text) {
        ManifestParser parser = new ManifestParser(JsonFactory.builder().build());
        List<Line> lines = new ArrayList<>();
        Set<String> keys = new HashSet<>();
        ByteBuffer rest = text.duplicate();
        for (int number = 1; rest.hasRemaining(); number++) {
            byte[] line = next(rest, name, number);
            if (isBlank(line)) {
                continue;
            }
            Line parsed = parser.parse(line, name, number);
            if (!keys.add(parsed.key())) {
                throw new FormatException(
                        "manifest %s, line %d: key \"%s\" stood before".formatted(name, number, parsed.key()));
            }
            lines.add(parsed);
        }
        if (lines.isEmpty()) {
            throw new FormatException("manifest %s is empty: it must have one JSON object a line".formatted(name));
        }
        return new Manifest(name, List.copyOf(lines), Checksum.of(Checksum.Kind.SHA256, text));
    }

    private static byte[] next(ByteBuffer rest, String name, int number) {
        int start = rest.position();
        int end = start;
        while (end < rest.limit() && rest.get(end) != '\n') {
            end++;
            if (end - start > MAX_LINE) {
                throw new FormatException(
                        "manifest %s, line %d: has more than %d bytes; it must have one JSON object a line"
                                .formatted(name, number, MAX_LINE));
            }
        }
        byte[] line = new byte[end - start];
        rest.get(line);
        if (rest.hasRemaining()) {
            rest.get();
        }
        return line;
    }

    private static boolean isBlank(byte[] line) {
        for (byte b : line) {
            if (b != ' ' && b != '\t' && b != '\r') {
                return false;
            }
        }
        return true;
    }

    /**
     * The lines of these keys alone, in their order; the checksum stays that of the whole text.
     * @throws FormatException if there is none
     */
    public Manifest only(Predicate<String> keys) {
        List<Line> kept = lines.stream().filter(line -> keys.test(line.key())).toList();
        if (kept.isEmpty()) {
            throw new FormatException(
                    "manifest %s names %d files, and none is of the kind that is read".formatted(name, lines.size()));
        }
        return new Manifest(name, kept, checksum);
    }

    /** In their order; at least one. */
    public List<Line> lines() {
        return lines;
    }

    /** Where it was read from. */
    public String name() {
        return name;
    }

    /** Of its whole text. */
    public Checksum checksum() {
        return checksum;
    }

    @Override
    public String toString() {
        return "manifest %s, %d lines".formatted(name, lines.size());
    }
}

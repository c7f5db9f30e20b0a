package io.penstock.store;

import io.penstock.fault.StoreException;
import io.penstock.internal.Crc32c;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import reactor.core.publisher.Mono;

/**
 * Bytes in memory, by key. For data that a program makes or has received, and for tests.
 *
 * <p>Keys are any texts. Versions are the bytes' CRC32C, so that the same contents under the same name are the same
 * data in every process. Reads are answered at once, on the thread that asks, with copies. Immutable; nothing to close.
 */
public final class MemoryStore implements Store {

    private final String location;
    private final Map<String, byte[]> contents;
    private final Map<String, StoreEntry> entries;

    private MemoryStore(String location, Map<String, byte[]> contents, Map<String, StoreEntry> entries) {
        this.location = location;
        this.contents = contents;
        this.entries = entries;
    }

    /**
     * A store of copies of these bytes.
     * @param name distinguishes it from other stores in memory; give the same data the same name in every run
     */
    public static MemoryStore of(String name, Map<String, byte[]> contents) {
        Map<String, byte[]> copies = new TreeMap<>();
        Map<String, StoreEntry> entries = new TreeMap<>();
        contents.forEach((key, bytes) -> {
            byte[] copy = bytes.clone();
            copies.put(key, copy);
            entries.put(key, new StoreEntry(key, copy.length, Integer.toUnsignedLong(Crc32c.of(copy))));
        });
        return new MemoryStore("memory:" + name, copies, entries);
    }

    /** One entry of another store, whose bytes must not be written to any more. */
    static MemoryStore of(String location, StoreEntry entry, byte[] bytes) {
        return new MemoryStore(location, Map.of(entry.key(), bytes), Map.of(entry.key(), entry));
    }

    @Override
    public String location() {
        return location;
    }

    @Override
    public void list(Visitor visitor) {
        entries.forEach((key, entry) -> visitor.file(key, entry.size(), entry.version()));
    }

    @Override
    public Mono<ByteBuffer> read(StoreEntry entry) {
        return Mono.fromCallable(() -> ByteBuffer.wrap(unchanged(entry).clone()));
    }

    @Override
    public Mono<ByteBuffer> read(StoreEntry entry, long offset, int length) {
        Objects.checkFromToIndex(offset, offset + length, entry.size());
        return Mono.fromCallable(() -> {
            byte[] range = new byte[length];
            System.arraycopy(unchanged(entry), (int) offset, range, 0, length);
            return ByteBuffer.wrap(range);
        });
    }

    private byte[] unchanged(StoreEntry entry) {
        byte[] bytes = contents.get(entry.key());
        if (bytes == null || !entry.equals(entries.get(entry.key()))) {
            throw new StoreException("%s in %s is not as it was listed: had %d bytes, now %s"
                    .formatted(entry.key(), location, entry.size(), bytes == null ? "is gone" : "has " + bytes.length));
        }
        return bytes;
    }

    @Override
    public Mono<StoreEntry> entry(String key) {
        return Mono.justOrEmpty(entries.get(key));
    }

    @Override
    public Mono<StoreEntry> entry(Manifest.Line line) {
        return entry(line.key());
    }

    @Override
    public List<String> state(StoreEntry entry) {
        return entry.state();
    }

    @Override
    public Mono<ByteBuffer> find(String key, int max, int maxLine) {
        byte[] bytes = contents.get(key);
        if (bytes == null) {
            return Mono.empty();
        }
        if (bytes.length > max) {
            return Mono.error(() -> new StoreException("cannot read %s in %s: at most %d bytes are expected, it has %d"
                    .formatted(key, location, max, bytes.length)));
        }
        return Mono.fromCallable(() -> ByteBuffer.wrap(bytes.clone()));
    }

    @Override
    public String toString() {
        return location;
    }
}

package io.penstock.store;

import io.penstock.fault.StoreException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import reactor.core.publisher.Mono;

/** A store in memory that is no folder and answers later, from another thread; remembers what was asked of it. */
public final class ShortStore implements Store {

    private final Map<String, byte[]> files = new TreeMap<>();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final boolean late;
    private long version = 1;

    public ShortStore() {
        this(true);
    }

    private ShortStore(boolean late) {
        this.late = late;
    }

    /** One that answers at once, for many small reads. */
    public static ShortStore prompt() {
        return new ShortStore(false);
    }

    /** A file, now and in this state. */
    public ShortStore with(String key, byte[] bytes) {
        files.put(key, bytes);
        return this;
    }

    /** The state of all files to come and of those there. */
    public void version(long newVersion) {
        version = newVersion;
    }

    /** The ranges read so far: {@code key offset length}. */
    public List<String> asked() {
        return new ArrayList<>(asked);
    }

    @Override
    public String location() {
        return "short://store";
    }

    @Override
    public void list(Visitor visitor) {
        files.forEach((key, bytes) -> visitor.file(key, bytes.length, version));
    }

    @Override
    public Mono<ByteBuffer> read(StoreEntry entry) {
        return read(entry, 0, (int) entry.size());
    }

    @Override
    public Mono<ByteBuffer> read(StoreEntry entry, long offset, int length) {
        Objects.checkFromToIndex(offset, offset + length, entry.size());
        return later(Mono.fromCallable(() -> {
            byte[] bytes = files.get(entry.key());
            if (bytes == null || bytes.length != entry.size() || version != entry.version()) {
                throw new StoreException(entry.key() + " changed since it was listed");
            }
            asked.add("%s %d %d".formatted(entry.key(), offset, length));
            return ByteBuffer.wrap(Arrays.copyOfRange(bytes, (int) offset, (int) offset + length));
        }));
    }

    @Override
    public Mono<StoreEntry> entry(String key) {
        return later(Mono.fromCallable(
                () -> files.containsKey(key) ? new StoreEntry(key, files.get(key).length, version) : null));
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
        return entry(key).flatMap(found -> {
            if (found.size() > max) {
                throw new StoreException(key + " has more than " + max + " bytes");
            }
            return later(Mono.fromCallable(() -> ByteBuffer.wrap(files.get(key).clone())));
        });
    }

    private <T> Mono<T> later(Mono<T> value) {
        return late ? Mono.delay(Duration.ofMillis(1)).then(value) : value;
    }
}

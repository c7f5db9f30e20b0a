package io.penstock.store;

import io.penstock.pipeline.StoreException;
import java.nio.ByteBuffer;
import java.util.Objects;
import reactor.core.publisher.Mono;

/** One entry whose bytes are in memory. */
final class BytesStore implements Store {

    private final String location;
    private final StoreEntry entry;
    private final byte[] bytes;

    BytesStore(String location, StoreEntry entry, byte[] bytes) {
        this.location = location;
        this.entry = entry;
        this.bytes = bytes;
    }

    @Override
    public String location() {
        return location;
    }

    @Override
    public void list(Visitor visitor) {
        visitor.file(entry.key(), entry.size(), entry.version());
    }

    @Override
    public Mono<ByteBuffer> read(StoreEntry wanted) {
        return Mono.fromCallable(() -> copy(wanted, 0, bytes.length));
    }

    @Override
    public Mono<ByteBuffer> read(StoreEntry wanted, long offset, int length) {
        Objects.checkFromToIndex(offset, offset + length, bytes.length);
        return Mono.fromCallable(() -> copy(wanted, (int) offset, length));
    }

    private ByteBuffer copy(StoreEntry wanted, int offset, int length) {
        if (!wanted.equals(entry)) {
            throw new StoreException(
                    "cannot read %s in %s: holds %s alone".formatted(wanted.key(), location, entry.key()));
        }
        byte[] copy = new byte[length];
        System.arraycopy(bytes, offset, copy, 0, length);
        return ByteBuffer.wrap(copy);
    }

    @Override
    public Mono<StoreEntry> entry(String key) {
        return key.equals(entry.key()) ? Mono.just(entry) : Mono.empty();
    }

    @Override
    public Mono<ByteBuffer> find(String key, int most) {
        if (!key.equals(entry.key())) {
            return Mono.empty();
        }
        return bytes.length <= most
                ? read(entry)
                : Mono.error(() -> new StoreException("cannot read %s in %s: at most %d bytes are expected, it has %d"
                        .formatted(key, location, most, bytes.length)));
    }

    @Override
    public String toString() {
        return location;
    }
}

package io.penstock.store.unpack;

import io.penstock.fault.StoreException;
import io.penstock.store.FileStore;
import io.penstock.store.Manifest;
import io.penstock.store.Store;
import io.penstock.store.StoreEntry;
import io.penstock.store.internal.ReadThreads;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/**
 * One unpacked copy. When it cannot be read, or its bytes do not match its checksums, one read looks for it or unpacks
 * it again for all reads that need it. Then each reads again.
 */
final class UnpackedFile implements Store {

    /** A copy that was written to is found in another state first, and then found to be damaged. */
    private static final int RETRIES = 2;

    private final FileStore copies;
    private final Mono<StoreEntry> look;
    private final BiConsumer<StoreEntry, StoreException> discard;
    private volatile StoreEntry copy;

    /**
     * Reads one copy.
     * @param look    gives the copy that is there now, or makes one
     * @param discard removes one that failed if it is damaged; blocks
     */
    UnpackedFile(
            FileStore copies, StoreEntry copy, Mono<StoreEntry> look, BiConsumer<StoreEntry, StoreException> discard) {
        this.copies = copies;
        this.copy = copy;
        this.look = look;
        this.discard = discard;
    }

    @Override
    public String location() {
        return copies.location();
    }

    @Override
    public void list(Visitor visitor) {
        visitor.file(copy.key(), copy.size(), copy.version());
    }

    @Override
    public Mono<ByteBuffer> read(StoreEntry entry) {
        return again(entry, copies::read);
    }

    @Override
    public Mono<ByteBuffer> read(StoreEntry entry, long offset, int length) {
        Objects.checkFromIndexSize(offset, (long) length, entry.size());
        return again(entry, now -> copies.read(now, offset, length));
    }

    private <T> Mono<T> again(StoreEntry entry, Function<StoreEntry, Mono<T>> read) {
        return entry.key().equals(copy.key())
                ? again(read, RETRIES)
                : Mono.error(() -> new StoreException("no such entry in %s: %s".formatted(location(), entry.key())));
    }

    private <T> Mono<T> again(Function<StoreEntry, Mono<T>> read, int retries) {
        return Mono.defer(() -> {
            StoreEntry now = copy;
            return retries == 0
                    ? read.apply(now)
                    : read.apply(now)
                            .onErrorResume(
                                    StoreException.class,
                                    failure -> another(now, failure).then(again(read, retries - 1)));
        });
    }

    private Mono<StoreEntry> another(StoreEntry failed, StoreException failure) {
        return Mono.fromRunnable(() -> discard.accept(failed, failure))
                .subscribeOn(ReadThreads.SHARED)
                .then(look)
                .doOnNext(now -> copy = now);
    }

    @Override
    public Mono<StoreEntry> entry(String key) {
        return key.equals(copy.key()) ? Mono.just(copy) : Mono.empty();
    }

    @Override
    public Mono<StoreEntry> entry(Manifest.Line line) {
        return entry(line.key());
    }

    @Override
    public List<String> state(StoreEntry entry) {
        return copies.state(entry);
    }

    @Override
    public Mono<ByteBuffer> find(String key, int max, int maxLine) {
        return entry(key).flatMap(found -> again(now -> copies.find(now.key(), max), RETRIES));
    }

    @Override
    public String toString() {
        return location();
    }
}

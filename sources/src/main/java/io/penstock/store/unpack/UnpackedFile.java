package io.penstock.store.unpack;

import io.penstock.fault.StoreException;
import io.penstock.internal.SingleFlight;
import io.penstock.internal.Thrown;
import io.penstock.store.FileStore;
import io.penstock.store.Store;
import io.penstock.store.StoreEntry;
import io.penstock.store.internal.ReadThreads;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.BiFunction;
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
    private final BiFunction<StoreEntry, StoreException, StoreEntry> remake;
    private final SingleFlight<StoreEntry, StoreEntry> making = new SingleFlight<>();
    private volatile StoreEntry copy;

    /** @param remake gives another copy in place of one that failed; blocks */
    UnpackedFile(FileStore copies, StoreEntry copy, BiFunction<StoreEntry, StoreException, StoreEntry> remake) {
        this.copies = copies;
        this.copy = copy;
        this.remake = remake;
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
        return making.joinToEnd(
                failed,
                () -> Mono.fromCallable(Thrown.callable(() -> {
                            if (copy.equals(failed)) { // else another read has replaced it since
                                copy = remake.apply(failed, failure);
                            }
                            return copy;
                        }))
                        .subscribeOn(ReadThreads.SHARED));
    }

    @Override
    public Mono<StoreEntry> entry(String key) {
        return key.equals(copy.key()) ? Mono.just(copy) : Mono.empty();
    }

    @Override
    public Mono<ByteBuffer> find(String key, int max) {
        return entry(key).flatMap(found -> again(now -> copies.find(now.key(), max), RETRIES));
    }

    @Override
    public String toString() {
        return location();
    }
}

package io.penstock.store.mirror;

import io.penstock.fault.StoreException;
import io.penstock.internal.FileErrors;
import io.penstock.internal.FileWork;
import io.penstock.internal.GuardedScheduler;
import io.penstock.internal.Notice;
import io.penstock.internal.Thrown;
import io.penstock.store.FileStore;
import io.penstock.store.Manifest;
import io.penstock.store.Store;
import io.penstock.store.StoreEntry;
import io.penstock.store.internal.ReadThreads;
import io.penstock.store.internal.copy.BlockSums;
import io.penstock.store.internal.copy.CopyTurns;
import io.penstock.store.internal.copy.DamagedCopyException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * A store whose entries are copied to a local directory when they are first used, and come from there afterwards.
 *
 * <p>A copy is written under another name and renamed when it is complete. An entry is copied once for all threads and
 * processes; if the copier dies, another one goes on. Copies of earlier runs are used while the source has the same
 * size and version. When the budget or the disk (but for 64 MiB) is full, further entries come from the source.
 *
 * <p>Each copy has checksums of its blocks in a file beside it, and a block is checked at its first read since the
 * copy was opened. A copy that is damaged, or has no checksums, is removed with a warning and copied again.
 *
 * <p>Several stores and processes may share a directory and its budget. Other files are neither counted nor touched.
 *
 * <p>With {@link #inBackground} a read never waits for a copy. Otherwise the first read copies the whole entry, in
 * slices of 8 MiB. A cancelled read lets the copy finish.
 *
 * <p>Threads: blocks on those of {@link FileStore#open(Path)} and on one of its own. A local failure, such as a full
 * disk, is logged once and the source serves. {@link #list}, {@link #entry} and {@link #location} are the source's, so
 * keys and fingerprints are the same with and without a mirror.
 */
public final class MirroredStore implements Store, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(MirroredStore.class);
    private static final int SLICE = 8 << 20;
    private static final long MAX_WAITING = 64L << 20;
    private static final String LOCKS = ".penstock-mirror-turns";

    /** Where another process takes longer for a copy, the source serves. */
    private static final Duration MAX_WAITED = Duration.ofMinutes(1);

    private final Store source;
    private final Path directory;
    private final MirrorLimit limit;
    private final boolean background;
    private final MirrorNames names;
    private final Scheduler bookkeeping;
    private final Mono<Place> place;
    private final AtomicLong waiting = new AtomicLong();
    private final AtomicLong copied = new AtomicLong();
    private final AtomicLong local = new AtomicLong();
    private final AtomicBoolean failed = new AtomicBoolean();

    private record Place(Path root, FileStore files, MirrorRoom room, CopyTurns<Path> turns) {}

    private MirroredStore(Store source, Path directory, MirrorLimit limit, boolean background) {
        this.source = source;
        this.directory = directory;
        this.limit = limit;
        this.background = background;
        this.names = new MirrorNames(source.location());
        this.bookkeeping = GuardedScheduler.ofThreads(1, "penstock-mirror");
        this.place = Mono.fromCallable(Thrown.callable(this::open))
                .subscribeOn(bookkeeping)
                .cache();
    }

    /** A store's entries, to be copied into a directory, which is made when it is first used. */
    public static MirroredStore of(Store source, Path directory) {
        return new MirroredStore(
                Objects.requireNonNull(source, "source"),
                Objects.requireNonNull(directory, "directory"),
                MirrorLimit.NONE,
                false);
    }

    /**
     * The max bytes of all copies in the directory, those of other sources and runs included; the disk's unless set.
     * @throws IllegalArgumentException if {@code bytes < 1}
     */
    public MirroredStore maxBytes(long bytes) {
        return new MirroredStore(source, directory, new MirrorLimit(bytes, 0), background);
    }

    /**
     * The same, as a share of what is free there and what the copies take, when this store first uses it.
     * @throws IllegalArgumentException if the share is not in (0, 1]
     */
    public MirroredStore maxFreeShare(double share) {
        double some = share > 0 ? share : Double.NaN; // 0 would be no limit
        return new MirroredStore(source, directory, new MirrorLimit(Long.MAX_VALUE, some), background);
    }

    /** Serves entries from the source until their copies are there; 64 MiB of them wait to be written at most. */
    public MirroredStore inBackground() {
        return new MirroredStore(source, directory, limit, true);
    }

    private Place open() throws IOException {
        Files.createDirectories(directory);
        Path root = directory.toRealPath();
        MirrorRoom room = new MirrorRoom(root, limit);
        room.recount();
        return new Place(
                root,
                FileStore.ofCopies(root, ReadThreads.SHARED),
                room,
                new CopyTurns<>(root.resolve(LOCKS), MAX_WAITED));
    }

    @Override
    public String location() {
        return source.location();
    }

    @Override
    public void list(Visitor visitor) {
        source.list(visitor);
    }

    @Override
    public Mono<StoreEntry> entry(String key) {
        return source.entry(key);
    }

    @Override
    public Mono<StoreEntry> entry(Manifest.Line line) {
        return source.entry(line);
    }

    @Override
    public List<String> state(StoreEntry entry) {
        return source.state(entry);
    }

    /** Asks the source what is there now, and reads that; text whose lines have a limit comes from the source. */
    @Override
    public Mono<ByteBuffer> find(String key, int max, int maxLine) {
        if (maxLine < max) {
            return source.find(key, max, maxLine);
        }
        return source.entry(key).flatMap(entry -> {
            if (entry.size() > max) {
                throw new StoreException("cannot read %s in %s: at most %d bytes are expected, it has %d"
                        .formatted(key, source.location(), max, entry.size()));
            }
            return read(entry);
        });
    }

    @Override
    public Mono<ByteBuffer> read(StoreEntry entry) {
        return opened().flatMap(open -> readCopy(open, names.of(entry), entry))
                .doOnNext(bytes -> local.incrementAndGet())
                .switchIfEmpty(Mono.defer(() -> background ? readAndCopy(entry) : copyAndRead(entry)));
    }

    private Mono<ByteBuffer> copyAndRead(StoreEntry entry) {
        return opened().flatMap(
                        open -> copy(entry, slices(entry)).flatMap(path -> readCopy(open, names.of(entry), entry)))
                .switchIfEmpty(Mono.defer(() -> source.read(entry)));
    }

    private Mono<ByteBuffer> readAndCopy(StoreEntry entry) {
        return source.read(entry).doOnNext(bytes -> {
            if (waiting.addAndGet(entry.size()) <= MAX_WAITING) {
                ByteBuffer copy = ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate());
                later(entry, Flux.just(copy.flip()), entry.size());
            } else {
                waiting.addAndGet(-entry.size());
            }
        });
    }

    private void later(StoreEntry entry, Flux<ByteBuffer> slices, long reserved) {
        copy(entry, slices)
                .doFinally(end -> waiting.addAndGet(-reserved))
                .subscribe(path -> {}, failure -> LOG.debug("not copied: {}", entry.key(), failure));
    }

    @Override
    public Mono<ByteBuffer> read(StoreEntry entry, long offset, int length) {
        Objects.checkFromIndexSize(offset, (long) length, entry.size());
        return opened().flatMap(open -> present(open, entry)
                        .doOnNext(copy -> local.incrementAndGet())
                        .switchIfEmpty(Mono.defer(() -> background
                                ? rangeLater(open, entry)
                                : copy(entry, slices(entry)).thenReturn(names.of(entry))))
                        .flatMap(open.files::entry)
                        .filter(copy -> copy.size() == entry.size())
                        .flatMap(copy -> open.files.read(copy, offset, length))
                        .onErrorResume(StoreException.class, failure -> discard(open, names.of(entry), failure)))
                .switchIfEmpty(Mono.defer(() -> source.read(entry, offset, length)));
    }

    private Mono<String> rangeLater(Place open, StoreEntry entry) {
        long reserved = Math.min(entry.size(), SLICE);
        if (waiting.addAndGet(reserved) <= MAX_WAITING && !open.turns.isUnderWay(names.of(entry))) {
            later(entry, slices(entry), reserved);
        } else {
            waiting.addAndGet(-reserved);
        }
        return Mono.empty();
    }

    /**
     * The local file of an entry, copied if need be, also with {@link #inBackground}. It stays until the entry changes.
     * An existing copy is read whole first, to check it. Fails with a {@link StoreException} if there is no room.
     */
    public Mono<Path> path(StoreEntry entry) {
        return opened().flatMap(open -> present(open, entry)
                        .flatMap(name -> sound(open, name))
                        .switchIfEmpty(Mono.defer(() -> copy(entry, slices(entry)))))
                .switchIfEmpty(Mono.error(() -> new StoreException(
                        "no room for %s, %d bytes, in the mirror %s of at most %s; allow it more, or free disk space"
                                .formatted(entry.key(), entry.size(), directory, limit))));
    }

    private Mono<Path> sound(Place open, String name) {
        Path copy = open.root.resolve(name);
        return Mono.fromCallable(Thrown.callable(() -> BlockSums.areRight(copy)))
                .subscribeOn(ReadThreads.SHARED)
                .flatMap(right -> right
                        ? Mono.just(copy)
                        : discard(
                                open, name, new StoreException(name, new DamagedCopyException("its bytes are wrong"))));
    }

    private Mono<Place> opened() {
        return place.onErrorResume(IOException.class, failure -> {
            warnOnce("cannot be used", failure);
            return Mono.empty();
        });
    }

    /** The name of a copy that is there with its right length. */
    private Mono<String> present(Place open, StoreEntry entry) {
        String name = names.of(entry);
        return open.files
                .entry(name)
                .flatMap(copy -> copy.size() == entry.size() && BlockSums.areThere(open.root.resolve(name), copy.size())
                        ? Mono.just(name)
                        : onBooks(() -> open.room.remove(open.root.resolve(name)))
                                .then(Mono.empty()));
    }

    private Mono<ByteBuffer> readCopy(Place open, String name, StoreEntry entry) {
        return open.files
                .find(name, (int) Math.min(Integer.MAX_VALUE, entry.size()))
                .onErrorResume(StoreException.class, failure -> discard(open, name, failure))
                .filter(bytes -> bytes.remaining() == entry.size());
    }

    /**
     * Removes a copy whose bytes are wrong, so that it is copied again; after another fault the source answers.
     */
    private <T> Mono<T> discard(Place open, String name, StoreException failure) {
        if (!(failure.getCause() instanceof DamagedCopyException damage)) {
            return Mono.empty();
        }
        Notice.warn(
                LOG, "copying again, since copy {} in mirror {} is damaged: {}", name, directory, damage.getMessage());
        return onBooks(() -> open.room.remove(open.root.resolve(name))).then(Mono.empty());
    }

    private Flux<ByteBuffer> slices(StoreEntry entry) {
        if (entry.size() <= SLICE) {
            return source.read(entry).flux();
        }
        long count = (entry.size() + SLICE - 1) / SLICE;
        return Flux.range(0, Math.toIntExact(count))
                .concatMap(
                        slice -> source.read(entry, (long) slice * SLICE, (int)
                                Math.min(SLICE, entry.size() - (long) slice * SLICE)),
                        1);
    }

    /** Copies once for all concurrent callers; empty where there is no room, or the mirror fails. */
    private Mono<Path> copy(StoreEntry entry, Flux<ByteBuffer> slices) {
        String name = names.of(entry);
        return opened().flatMap(open -> open.turns.once(
                        name,
                        present(open, entry).map(open.root::resolve),
                        Mono.defer(() -> write(open, name, entry, slices))))
                .onErrorResume(IOException.class, failure -> {
                    warnOnce("cannot be written", failure);
                    return Mono.empty();
                });
    }

    private Mono<Path> write(Place open, String name, StoreEntry entry, Flux<ByteBuffer> slices) {
        Path target = open.root.resolve(name);
        return onBooks(() -> open.room.begin(target, entry.size()))
                .flatMap(Mono::justOrEmpty)
                .flatMap(begun -> slices.publishOn(ReadThreads.SHARED, 1)
                        .concatMap(bytes -> Mono.fromCallable(Thrown.callable(() -> {
                            begun.copy().append(bytes);
                            return bytes;
                        })))
                        .then(onBooks(() -> {
                            open.room.finish(begun);
                            copied.incrementAndGet();
                            return target;
                        }))
                        .onErrorResume(failure -> onBooks(() -> {
                                    open.room.abandon(begun);
                                    return target;
                                })
                                .onErrorComplete()
                                .then(Mono.error(failure))));
    }

    private <T> Mono<T> onBooks(Callable<T> work) {
        return Mono.fromCallable(Thrown.callable(work)).subscribeOn(bookkeeping);
    }

    private void warnOnce(String what, Throwable failure) {
        if (failed.compareAndSet(false, true)) {
            Notice.warn(
                    LOG,
                    "mirror {} {}, {} serves instead: {}",
                    directory,
                    what,
                    source.location(),
                    failure instanceof IOException io ? FileErrors.reason(io) : failure.toString());
        }
    }

    /** How many entries this store copied. */
    public long copied() {
        return copied.get();
    }

    /** How many reads its copies answered, those that copied first not counted. */
    public long servedLocally() {
        return local.get();
    }

    /** Abandons unfinished copies, and waits up to 10 s until files are renamed. The next process frees their bytes. */
    @Override
    public void close() {
        // not at once: an interrupt would close files that another store shares
        bookkeeping
                .disposeGracefully()
                .timeout(Duration.ofSeconds(10))
                .onErrorComplete()
                .toFuture()
                .join();
        place.subscribe(
                open -> {
                    FileWork.run("cannot close mirror " + directory, () -> {
                        open.files.close();
                        open.room.close();
                        open.turns.close();
                    });
                },
                never -> {});
    }

    @Override
    public String toString() {
        return "mirror of %s in %s".formatted(source.location(), directory);
    }
}

package io.penstock.store.internal;

import io.penstock.internal.Thrown;
import io.penstock.pipeline.GroupLoader;
import io.penstock.store.FileStore;
import io.penstock.store.LocalStore;
import io.penstock.store.MemoryStore;
import io.penstock.store.Store;
import io.penstock.store.StoreFile;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Reads the records of a group in the order in which they lie, neighbours together.
 *
 * <p>What lies between two records is read with them where that takes less time than another read: 4 KiB of a local
 * file, 64 KiB of a store that is far. A record of at least a sixteenth of what was read together shares its bytes, so
 * a sample keeps at most 16 times its own size in memory; smaller ones are copied.
 */
public final class RecordGroup<R> implements GroupLoader.Receiver<ByteBuffer> {

    private static final int LOCAL_GAP = 4 << 10;
    private static final int FAR_GAP = 64 << 10;
    private static final int LOCAL_BYTES = 256 << 10;
    private static final int FAR_BYTES = 4 << 20;
    private static final int LOCAL_RECORDS = 128;
    private static final int FAR_RECORDS = 4096;
    private static final int MAX_RUN = 1 << 20;
    private static final int SHARE = 16;

    private final List<Run<R>> runs;
    private final GroupLoader.Receiver<R> receiver;
    private final Queue<Run<R>> failed = new ConcurrentLinkedQueue<>();

    private RecordGroup(List<Run<R>> runs, GroupLoader.Receiver<R> receiver) {
        this.runs = runs;
        this.receiver = receiver;
    }

    /**
     * Where the record at a place of the group lies.
     * @param part a number of the file's own
     * @param made the sample, of bytes that are not written to
     */
    public record Piece<R>(int place, int part, StoreFile file, long start, int length, Function<ByteBuffer, R> made) {

        private long end() {
            return start + length;
        }

        /** The sample alone. */
        public Mono<R> load() {
            return file.read(start, length).map(Thrown.function(made));
        }
    }

    /** Records that are read together, in their order. */
    private record Run<R>(List<Piece<R>> pieces, FileStore.Piece bytes) {}

    /** Finds a sample's record. */
    @FunctionalInterface
    public interface Finder<R> {

        /**
         * Its record; null for one that is loaded alone.
         * @throws RuntimeException why the sample cannot be loaded
         */
        @Nullable Piece<R> find(int place, long index);
    }

    /**
     * How many records of a store one group has at most.
     * @param bytes of a usual record
     */
    public static int size(Store store, long bytes) {
        if (store instanceof MemoryStore) {
            return 1;
        }
        boolean local = store instanceof LocalStore;
        long fit = (local ? LOCAL_BYTES : FAR_BYTES) / Math.max(1, bytes);
        return (int) Math.max(1, Math.min(fit, local ? LOCAL_RECORDS : FAR_RECORDS));
    }

    /**
     * The same for the records of some files.
     * @param records how many there are in all
     */
    public static int size(List<StoreFile> files, long records) {
        long bytes = files.stream().mapToLong(StoreFile::size).sum() / records;
        return files.stream().mapToInt(file -> size(file.store(), bytes)).max().orElse(1);
    }

    /**
     * Loads samples, and tells of each.
     * @param alone loads one without a record
     */
    public static <R> Mono<Void> read(
            long[] indices, Finder<R> finder, LongFunction<Mono<R>> alone, GroupLoader.Receiver<R> receiver) {
        return Mono.defer(() -> {
            Map<Store, List<Piece<R>>> byStore = new HashMap<>(2);
            List<Integer> others = new ArrayList<>();
            for (int place = 0; place < indices.length; place++) {
                try {
                    @Nullable Piece<R> piece = finder.find(place, indices[place]);
                    if (piece == null) {
                        others.add(place);
                    } else {
                        byStore.computeIfAbsent(piece.file.store(), store -> new ArrayList<>())
                                .add(piece);
                    }
                } catch (Throwable e) { // of this sample alone
                    receiver.failure(place, e);
                }
            }
            return Flux.fromIterable(byStore.entrySet())
                    .flatMap(its -> new RecordGroup<>(runs(its.getKey(), its.getValue()), receiver).read(its.getKey()))
                    .thenMany(Flux.fromIterable(others))
                    .flatMap(place -> each(place, place + 1, at -> alone.apply(indices[at]), receiver))
                    .then();
        });
    }

    /** Loads what is at some places each by itself, and tells of it. */
    public static <T> Mono<Void> each(int from, int to, IntFunction<Mono<T>> load, GroupLoader.Receiver<T> receiver) {
        return Flux.range(from, to - from)
                .filter(receiver::wants)
                .flatMap(
                        place -> load.apply(place)
                                .doOnNext(value -> receiver.value(place, value))
                                .onErrorResume(e -> {
                                    receiver.failure(place, e);
                                    return Mono.empty();
                                }),
                        Math.max(1, to - from))
                .then();
    }

    private static <R> List<Run<R>> runs(Store store, List<Piece<R>> pieces) {
        int gap = store instanceof LocalStore ? LOCAL_GAP : FAR_GAP;
        pieces.sort(Comparator.<Piece<R>>comparingInt(Piece::part).thenComparingLong(Piece::start));
        List<Run<R>> runs = new ArrayList<>();
        for (int from = 0; from < pieces.size(); ) {
            Piece<R> first = pieces.get(from);
            long end = first.end();
            int to = from + 1;
            while (to < pieces.size() && isNear(first, end, pieces.get(to), gap)) {
                end = Math.max(end, pieces.get(to).end());
                to++;
            }
            int length = (int) (end - first.start);
            runs.add(new Run<>(pieces.subList(from, to), new FileStore.Piece(first.file.entry(), first.start, length)));
            from = to;
        }
        return runs;
    }

    private static boolean isNear(Piece<?> first, long end, Piece<?> next, int gap) {
        return next.part == first.part
                && next.start - end <= gap
                && Math.max(end, next.end()) - first.start <= Math.max(MAX_RUN, end - first.start);
    }

    /** Bytes nearby that cannot be read are no fault of a record, so each is read alone then. */
    private Mono<Void> read(Store store) {
        List<FileStore.Piece> bytes = runs.stream().map(Run::bytes).toList();
        Mono<Void> together = store instanceof FileStore files
                ? files.readAll(bytes, this)
                : each(0, bytes.size(), run -> bytes.get(run).readFrom(store), this);
        return together.then(Flux.fromIterable(failed)
                .flatMapIterable(Run::pieces)
                .flatMap(piece -> each(piece.place, piece.place + 1, place -> piece.load(), receiver))
                .then());
    }

    @Override
    public boolean wants(int run) {
        for (Piece<R> piece : runs.get(run).pieces) {
            if (receiver.wants(piece.place)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void failure(int run, Throwable cause) {
        List<Piece<R>> pieces = runs.get(run).pieces;
        if (pieces.size() == 1) {
            receiver.failure(pieces.get(0).place, cause);
        } else {
            failed.add(runs.get(run));
        }
    }

    @Override
    public void value(int run, ByteBuffer bytes) {
        List<Piece<R>> pieces = runs.get(run).pieces;
        long start = runs.get(run).bytes.offset();
        for (Piece<R> piece : pieces) {
            tell(
                    piece.place,
                    () -> piece.made.apply(
                            pieces.size() == 1 ? bytes : part(bytes, (int) (piece.start - start), piece.length)),
                    receiver);
        }
    }

    /** Makes the sample of a place, and tells of it. */
    public static <R> void tell(int place, Supplier<R> made, GroupLoader.Receiver<R> receiver) {
        R value;
        try {
            value = made.get();
        } catch (Throwable e) { // of this sample alone
            receiver.failure(place, e);
            return;
        }
        receiver.value(place, value);
    }

    /** A part of some bytes: shares them if it is at least a sixteenth of them, else is a copy. */
    public static ByteBuffer part(ByteBuffer bytes, int from, int length) {
        int at = bytes.position() + from;
        if ((long) length * SHARE >= bytes.remaining()) {
            return bytes.slice(at, length);
        }
        if (bytes.hasArray()) { // copyOfRange fills no array with zeros first
            int first = bytes.arrayOffset() + at;
            return ByteBuffer.wrap(Arrays.copyOfRange(bytes.array(), first, first + length));
        }
        return ByteBuffer.allocate(length).put(0, bytes, at, length);
    }
}

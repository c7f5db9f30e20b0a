package io.penstock.cache.chronicle;

import io.penstock.cache.Entry;
import io.penstock.cache.Lease;
import io.penstock.cache.LendingTier;
import io.penstock.cache.ListedTier;
import io.penstock.cache.Producer;
import io.penstock.cache.Provenance;
import io.penstock.cache.ProvenanceTier;
import io.penstock.cache.Put;
import io.penstock.cache.SampleKey;
import io.penstock.cache.SharedTier;
import io.penstock.cache.TierStatistics;
import io.penstock.cache.chronicle.internal.DiskIndex;
import io.penstock.cache.chronicle.internal.LogEntry;
import io.penstock.cache.chronicle.internal.LogWriter;
import io.penstock.cache.chronicle.internal.Segment;
import io.penstock.cache.chronicle.internal.Watch;
import io.penstock.internal.AccessFaults;
import io.penstock.internal.Arguments;
import io.penstock.internal.Begun;
import io.penstock.internal.GuardedScheduler;
import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A cache on disk that is warm after a restart and shared by all processes of a machine: values are appended to a
 * Chronicle Queue and read as views of its files. Fill and hold: it takes what comes until it is full, then refuses
 * quietly; or, {@linkplain ChronicleOptions#leastRecentlyUsed if asked for}, what was not used for long gives way to
 * what comes.
 *
 * <p>The budget covers all that the files really occupy. Room is claimed from it before a value is accepted, so no other
 * process takes that room before the value is written. It is claimed from the file system before it is written to: on a
 * full disk the tier goes on with what it has, after one warning. Values are of at most 256 MiB. The index takes 17.4 to
 * 19.6 bytes a value on the heap.
 *
 * <p>Threads: all methods from any number of them. {@link #get} takes no lock and gives a copy, since another program may
 * cut a file shorter. {@link #lendAll} gives views. Page faults aside both do not block. {@link #put} keeps what it
 * is given until it is written down, and completes when the value can be got; a thread of the tier's own writes it
 * down. While more than {@link ChronicleOptions#pendingBytes} wait for that, puts complete later, when they have been
 * written. What waits counts as held, and its room in the bytes.
 *
 * <p>Nothing is synchronised to the disk: what was appended survives the death of the process, not that of the machine.
 * Checksums tell what did not survive. What was appended by a process that is killed is there afterwards; what waited
 * is not.
 *
 * <p>Several processes may open one directory: each sees what the others appended, {@link #lease} lets one of them load
 * a key while the others wait, and the budget is that of all. The death of one does not stop the others. The directory
 * must be on a local file system.
 * <pre>{@code
 *  try (Cache cache = Cache.of(ChronicleTier.at(Path.of("/scratch/cache")).maxBytes(200L << 30).open())) {
 *      dataset.cache(cache, schema).stream(...)
 *  }
 * }</pre>
 * Needs {@code net.openhft:chronicle-queue} on the class path, and of the JVM
 * {@code --add-opens=java.base/java.lang.reflect=ALL-UNNAMED --add-opens=java.base/sun.nio.ch=ALL-UNNAMED}.
 */
public final class ChronicleTier implements SharedTier, ListedTier, ProvenanceTier, LendingTier {

    private static final int TOUCHED_BYTES = 1024;

    private final Opener.Parts parts;
    private final DiskIndex index;
    private final Appends appends;
    private final @Nullable NodeLeases leases;
    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();
    private final AtomicLong lost = new AtomicLong();
    private final LongAdder refused = new LongAdder();
    private final AccessFaults faults = new AccessFaults();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicBoolean following = new AtomicBoolean();

    @SuppressWarnings("UnusedVariable") // written only: see getAll
    private int touched;

    /** The length of the shortest value ever offered, give or take a race. */
    private volatile int shortest = Integer.MAX_VALUE;

    ChronicleTier(Opener.Parts parts) {
        this.parts = parts;
        this.index = parts.index;
        this.appends = parts.appends;
        appends.each(Watch.PERIOD_MILLIS, parts.watch::look);
        DirectoryLocks locks = parts.locks;
        this.leases = locks == null || parts.evicts
                ? null
                : new NodeLeases(locks, parts.counters, appends, this::holds, parts.logs.catchUp());
    }

    /** A cache in this directory, which is made when the cache is opened; files there that are not the cache's stay. */
    public static ChronicleOptions at(Path directory) {
        Arguments.refuse(directory.toString().isBlank(), "a disk cache needs a directory, was \"%s\"", directory);
        return new ChronicleOptions(directory);
    }

    /**
     * How many values a directory of this size takes at least, whichever processes put them: what a process has begun
     * to write to is not for the others, so each of them may leave one file with room.
     * @param processes that write at the same time
     * @param valueBytes of a value, on average
     * @throws IllegalArgumentException if bytes are negative, or there is no process
     */
    public static long fits(long maxBytes, int processes, long valueBytes) {
        if (maxBytes < 0 || processes < 1 || valueBytes < 0) {
            throw new IllegalArgumentException(
                    "bytes must not be negative and processes at least 1, were %d and %d, and %d"
                            .formatted(maxBytes, valueBytes, processes));
        }
        return Segment.fits(maxBytes, processes, valueBytes);
    }

    @Override
    public String name() {
        return "disk";
    }

    @Override
    public Mono<ByteBuffer> get(SampleKey key) {
        ByteBuffer value = find(key);
        if (value == null) {
            misses.increment();
            followLater();
            return Mono.empty();
        }
        hits.increment();
        return Mono.just(value);
    }

    /** As {@link #get} for each, their waits for memory side by side: first for the index, then for the first lines. */
    @Override
    public boolean getAll(SampleKey[] keys, @Nullable ByteBuffer[] found) {
        return findAll(keys, found, true);
    }

    @Override
    public boolean lendAll(SampleKey[] keys, @Nullable ByteBuffer[] found) {
        return findAll(keys, found, false);
    }

    @Override
    public long lost() {
        return lost.get() + index.damaged();
    }

    private boolean findAll(SampleKey[] keys, @Nullable ByteBuffer[] found, boolean copies) {
        try {
            lookForAll(keys, found);
            for (int i = 0; copies && i < keys.length; i++) {
                found[i] = AccessFaults.copy(found[i]);
            }
            faults.raise();
        } catch (InternalError e) { // of which key is not known
            lost.incrementAndGet();
            for (int i = 0; i < keys.length; i++) {
                found[i] = find(keys[i]);
            }
        }
        int held = 0;
        for (ByteBuffer value : found) {
            held += value == null ? 0 : 1;
        }
        hits.add(held);
        if (held < keys.length) {
            misses.add(keys.length - held);
            followLater();
        }
        return true;
    }

    private void lookForAll(SampleKey[] keys, @Nullable ByteBuffer[] found) {
        int seen = index.touch(keys);
        for (int i = 0; i < keys.length; i++) {
            ByteBuffer value = appends.find(keys[i]);
            found[i] = value == null ? index.find(keys[i]) : value;
        }
        for (ByteBuffer value : found) {
            seen += value == null ? 0 : touch(value);
        }
        touched = seen; // or the compiler would leave the reads out
    }

    /** The value; {@code null} if there is none, or it cannot be read any more. */
    private @Nullable ByteBuffer find(SampleKey key) {
        ByteBuffer pending = appends.find(key);
        if (pending != null) {
            return pending;
        }
        try {
            ByteBuffer copy = AccessFaults.copy(index.find(key));
            faults.raise();
            return copy;
        } catch (InternalError e) {
            lost.incrementAndGet();
            index.forgetUnreadable(key);
            parts.watch.loseShortened();
            return null;
        }
    }

    /** Has the first lines of a value fetched, and its last byte, which is gone if the file has been cut shorter. */
    private static int touch(ByteBuffer bytes) {
        int sum = bytes.limit() == 0 ? 0 : bytes.get(bytes.limit() - 1);
        int end = Math.min(bytes.limit(), TOUCHED_BYTES);
        for (int at = 0; at < end; at += LogEntry.ALIGNMENT) {
            sum += bytes.get(at);
        }
        return sum;
    }

    private void followLater() {
        if (parts.logs.isBehind() && !closed.get() && following.compareAndSet(false, true)) {
            GuardedScheduler.ELASTIC.schedule(() -> {
                following.set(false);
                parts.logs.follow();
            });
        }
    }

    @Override
    public Mono<Put> put(SampleKey key, Encoded value, Entry about) {
        return new Begun.Deferred<>(() -> keep(key, value, about.provenance()));
    }

    /**
     * Keeps the words in a file beside the log, from which they explain misses later. The tier's own thread writes
     * them: the one that calls must not block, and an interrupt of it would close the file.
     */
    @Override
    public void producedBy(Producer producer) {
        if (!closed.get() && parts.locks != null) { // or it only looks
            appends.run(() -> parts.provenance.add(producer));
        }
    }

    private Mono<Put> keep(SampleKey key, Encoded value, Provenance provenance) {
        if (holds(key)) {
            index.use(key);
            return Mono.just(Put.HELD);
        }
        int length = value.length();
        if (length < shortest) {
            shortest = length;
        }
        boolean fits = !closed.get() && length <= LogWriter.MAX_VALUE_BYTES && appends.hasRoomFor(length);
        Mono<Boolean> kept = fits ? appends.put(key, value, provenance) : null;
        if (kept == null) {
            refused.increment();
            return Mono.just(Put.REFUSED);
        }
        return kept == Appends.AT_ONCE ? Mono.just(Put.HELD) : kept.map(Put::of);
    }

    private boolean holds(SampleKey key) {
        return appends.find(key) != null || index.contains(key);
    }

    /** {@link Eviction#DROPPED} in LRU order: files are dropped whole. */
    @Override
    public Eviction eviction() {
        return parts.evicts ? Eviction.DROPPED : Eviction.NONE;
    }

    /** {@code false} once there is no room for a value as short as the shortest so far. */
    @Override
    public boolean accepts(SampleKey key, Entry about) {
        return accepts();
    }

    private boolean accepts() {
        return !closed.get() && appends.hasRoomFor(shortest == Integer.MAX_VALUE ? 0 : shortest);
    }

    /** Forgets a key for good: it stays forgotten when the cache is opened again. */
    @Override
    public void remove(SampleKey key) {
        if (!closed.get()) {
            appends.remove(key);
        }
    }

    @Override
    public Mono<Lease> lease(SampleKey key) {
        return leases == null || closed.get() || !accepts() ? Lease.NONE : leases.lease(key);
    }

    @Override
    public Flux<SampleKey> keys() {
        return Flux.defer(() -> {
            Set<SampleKey> keys = appends.keys(); // first: what leaves here meanwhile is in the files then
            forEachKey((key, bytes) -> keys.add(key));
            return Flux.fromIterable(keys);
        });
    }

    /** Completes when everything put before is in the files, where a killed process leaves it. */
    public Mono<Void> flush() {
        return closed.get() ? Mono.empty() : Mono.fromFuture(appends::flushed).then();
    }

    /** Whether a key is held; unlike {@link #get} it looks at no value and counts nothing. */
    public boolean contains(SampleKey key) {
        return holds(key);
    }

    /** Every key that is held in the files, with the length of its value in bytes, in no order. */
    void forEachKey(ObjLongConsumer<SampleKey> use) {
        index.forEach((key, origin, segment, position, bytes, live) -> {
            if (live) {
                use.accept(key, bytes);
            }
        });
    }

    /**
     * Everything that is in the files, what is not found any more included, in no order. Reads all headers; what comes
     * or goes meanwhile may be among them or not.
     */
    public void forEach(Consumer<KeptEntry> use) {
        index.forEach((key, origin, segment, position, bytes, live) ->
                use.accept(new KeptEntry(key, origin, segment, position, bytes, live)));
    }

    /** What each file of the log holds. */
    public List<SegmentReport> segments() {
        return parts.segments.all().stream().map(ChronicleTier::report).toList();
    }

    private static SegmentReport report(Segment segment) {
        long live = segment.liveBytes.get();
        return new SegmentReport(
                segment.name(),
                segment.entries.get(),
                segment.liveEntries.get(),
                live,
                segment.entryBytes.get() - live,
                segment.damaged.get());
    }

    /**
     * The bytes are those of all processes; the capacity is what is left of the budget for values and what lies with
     * them.
     */
    @Override
    public TierStatistics statistics() {
        boolean gone = closed.get();
        return new TierStatistics(
                gone ? 0 : appends.samples(),
                gone ? 0 : appends.bytes(),
                appends.budget(),
                hits.sum(),
                misses.sum(),
                refused.sum() + appends.lost(),
                index.evicted(),
                index.damaged() + appends.failures());
    }

    /** Waits until what was put is appended, then lets others have the directory. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            appends.close().join();
            index.close();
            DirectoryLocks locks = parts.locks;
            if (locks != null) {
                locks.close();
            }
        }
    }

    /** One more watch over the files, that believes in these page faults. */
    Watch watch(LongSupplier majorFaults) {
        return new Watch(parts.segments, index, parts.counters, majorFaults);
    }

    /** What the index takes now, in bytes. */
    long indexBytes() {
        return index.indexBytes();
    }

    @Override
    public String toString() {
        String policy = parts.evicts ? ", lru" : "";
        return "disk, %d bytes in %s%s".formatted(appends.budget(), parts.files.root, policy);
    }
}

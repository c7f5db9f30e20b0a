package io.penstock.cache.lazy;

import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.cache.ram.RamTier;
import io.penstock.fault.StoreException;
import io.penstock.internal.Arguments;
import io.penstock.order.Sampler;
import io.penstock.order.ShardMode;
import io.penstock.order.Topology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A shard that is as large as a cache: each rank, or each node, trains on as many samples as its memory and disk hold,
 * so from the second epoch on nothing is loaded. Nothing is copied beforehand; samples come when they are drawn.
 * <pre>{@code
 *  LazyShard shard = LazyShard.ofRanks(Topology.fromEnvironment()).memoryBytes(8L << 30).diskShare(directory, 0.8);
 *  long samples = shard.agree(sharedFolder, dataset.size(), sampleBytes).block();
 *  dataset.cache(tier, schema).stream(shard.apply(Sampler.shuffled(42).epochs(90), samples))
 * }</pre>
 *
 * <p>Shards are disjoint, all of one size, and stay what they are over the epochs; which samples they have, and in
 * which order they come, are matters of the {@link Sampler}'s seed and kind. Where machines differ, the size is what
 * the smallest of the caches holds, which the ranks {@link #agree} on: ranks of different sizes would not stay in step.
 *
 * <p>Immutable; every method returns a copy.
 */
public final class LazyShard {

    /** Who has a shard of its own. */
    private enum Owner {
        /** Each rank: its memory and its part of the node's disk, as far as no other rank can fill it. */
        RANK,
        /** Each node: what all its ranks reach, its disk; with one rank, that rank's memory too. */
        NODE,
        /** Each node: its disk alone. */
        DISK
    }

    private final Owner owner;
    private final Topology topology;
    private final Amount memory;
    private final Amount disk;
    private final @Nullable Path directory;
    private final double overflow;
    private final long minElements;

    /** Bytes, or a share of what is free. */
    private record Amount(long bytes, double share) {

        private static final Amount NONE = new Amount(0, 0);

        static Amount ofBytes(String what, long bytes) {
            Arguments.refuse(bytes < 0, "%s must not be negative: %d bytes", what, bytes);
            return new Amount(bytes, 0);
        }

        static Amount ofShare(String what, double share) {
            Arguments.refuse(
                    !(share >= 0 && share <= 1), "the share of free %s must be in [0, 1], was %s", what, share);
            return new Amount(0, share);
        }
    }

    private LazyShard(
            Owner owner,
            Topology topology,
            Amount memory,
            Amount disk,
            @Nullable Path directory,
            double overflow,
            long minElements) {
        this.owner = owner;
        this.topology = topology;
        this.memory = memory;
        this.disk = disk;
        this.directory = directory;
        this.overflow = overflow;
        this.minElements = minElements;
    }

    private static LazyShard of(Owner owner, Topology topology) {
        return new LazyShard(owner, topology, Amount.NONE, Amount.NONE, null, 0, 0);
    }

    /**
     * A shard for each rank, which only that rank draws from: the rank's own memory, and its part of a disk that the
     * ranks of its node share. Several ranks fill a shared disk in any order, so of m samples in a rank's memory and d
     * on the disk, a shard of one of r ranks has m or (m + d) / r, whichever is more. Where the topology does not say
     * how many ranks a node has, the disk is the rank's own, and the shard has m + d.
     */
    public static LazyShard ofRanks(Topology topology) {
        return of(Owner.RANK, topology);
    }

    /**
     * A shard for each node, distributed over its ranks again in every epoch: what all of them reach, the node's disk.
     * The memory of a rank counts where the node has no other; elsewhere it keeps copies.
     * @throws IllegalStateException if the topology does not say which ranks share a node, or nodes differ in their
     *     number
     */
    public static LazyShard ofNodes(Topology topology) {
        topology.shardByNode();
        return of(Owner.NODE, topology);
    }

    /**
     * A shard for each node, distributed over its ranks again in every epoch, on disk alone.
     * @throws IllegalStateException as {@link #ofNodes}
     */
    public static LazyShard ofDisks(Topology topology) {
        topology.shardByNode();
        return of(Owner.DISK, topology);
    }

    /** Memory of each rank for its cache; none unless set. */
    public LazyShard memoryBytes(long bytes) {
        return memory(Amount.ofBytes("memory", bytes));
    }

    /** The same as a share of what is free on a node now, for all its ranks together. */
    public LazyShard memoryShare(double share) {
        return memory(Amount.ofShare("memory", share));
    }

    private LazyShard memory(Amount amount) {
        return new LazyShard(owner, topology, amount, disk, directory, overflow, minElements);
    }

    /**
     * Disk of each node for the cache of all its ranks; none unless set. Each rank writes to files of its own, so a
     * little of it stays free for each: {@link ChronicleTier#fits}.
     */
    public LazyShard diskBytes(long bytes) {
        return new LazyShard(owner, topology, memory, Amount.ofBytes("disk", bytes), directory, overflow, minElements);
    }

    /**
     * The same as a share of what is free now on the disk of this directory, or of the folder that it will be made in.
     */
    public LazyShard diskShare(Path at, double share) {
        return new LazyShard(owner, topology, memory, Amount.ofShare("disk", share), at, overflow, minElements);
    }

    /**
     * By which share a shard may be larger than its cache; 0 unless set. What is beyond the cache is loaded in every
     * epoch.
     * @throws IllegalArgumentException if it is negative or no number
     */
    public LazyShard overflow(double share) {
        if (!(share >= 0 && share < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("overflow must be a share from 0 on, was " + share);
        }
        return new LazyShard(owner, topology, memory, disk, directory, share, minElements);
    }

    /**
     * The least number of samples that a shard is to have; 0 unless set.
     * @throws IllegalArgumentException if negative
     */
    public LazyShard minElements(long samples) {
        Arguments.refuse(samples < 0, "min elements must not be negative: %s", samples);
        return new LazyShard(owner, topology, memory, disk, directory, overflow, samples);
    }

    /** The number of shards: that of ranks or of nodes. */
    public int shards() {
        return owner == Owner.RANK
                ? topology.shard().worldSize()
                : topology.place().orElseThrow().nodes();
    }

    /**
     * How many samples this rank's shard could have by its own cache, at most its part of the data.
     * @param size        of the data set
     * @param sampleBytes what a sample takes in the cache, on average
     * @throws IllegalArgumentException if that is fewer than {@link #minElements}, or none
     * @throws StoreException if what is free on the disk cannot be asked
     */
    long elements(long size, long sampleBytes) {
        Arguments.refuse(sampleBytes < 1, "a sample must take at least 1 byte, was %s", sampleBytes);
        Room room = room(sampleBytes);
        double fit = room.samples() * (1 + overflow);
        long part = size / shards() + (size % shards() == 0 ? 0 : 1);
        long elements = fit >= (double) part ? part : (long) fit;
        if (elements < Math.min(minElements, part) || elements < 1 && size > 0) {
            throw new IllegalArgumentException(
                    "a lazy shard of %s with overflow %s holds %d samples of %d bytes, must hold at least %d; give it more"
                            .formatted(room.words, overflow, elements, sampleBytes, Math.max(1, minElements)));
        }
        return elements;
    }

    /**
     * What a shard has room for.
     *
     * @param words   what counts, in bytes
     * @param samples that fit, whichever rank fills the disk first
     */
    private record Room(String words, long samples) {}

    /**
     * Each rank keeps in its own memory what the disk refused, and no other rank reaches it. So a node's shard is what
     * its disk holds: its samples may be dealt to any of its ranks. A rank's shard is sized by the worst order of
     * filling: the disk is full, and everything that it refused is this rank's.
     */
    private Room room(long sampleBytes) {
        int ranks = topology.place().map(Topology.Place::localWorldSize).orElse(1);
        long memoryBytes = memory.share > 0 ? (long) (memory.share * freeMemory() / ranks) : memory.bytes;
        long diskBytes = disk.share > 0 ? (long) (disk.share * freeDisk()) : disk.bytes;
        long inMemory = memoryBytes / sampleBytes;
        long onDisk = ChronicleTier.fits(diskBytes, ranks, sampleBytes);
        long both = inMemory > Long.MAX_VALUE - onDisk ? Long.MAX_VALUE : inMemory + onDisk;
        String memoryAndDisk = "%d bytes of memory and %d of disk".formatted(memoryBytes, diskBytes);
        String diskAlone = "%d bytes of disk".formatted(diskBytes);
        return switch (owner) {
            case RANK -> new Room(memoryAndDisk, Math.max(inMemory, both / ranks));
            case NODE ->
                ranks == 1
                        ? new Room(memoryAndDisk, both)
                        : new Room(
                                diskAlone
                                        + " (memory does not count: the %d ranks of a node do not share it)"
                                                .formatted(ranks),
                                onDisk);
            case DISK -> new Room(diskAlone, onDisk);
        };
    }

    private static long freeMemory() {
        return RamTier.freeBytes()
                .orElseThrow(() -> new IllegalArgumentException(
                        "this system does not say how much memory is free; use memoryBytes"));
    }

    private long freeDisk() {
        Path at = directory == null ? Path.of("") : directory;
        Path there = at.toAbsolutePath();
        while (!Files.exists(there) && there.getParent() != null) {
            there = there.getParent();
        }
        try {
            return Files.getFileStore(there).getUsableSpace();
        } catch (IOException e) {
            throw new StoreException("cannot ask how much is free on the disk of " + at, e);
        }
    }

    /**
     * How many samples an epoch of all ranks has, where every cache is as large as this one.
     * @throws IllegalArgumentException as {@link #elements}; or if a share of what is free was given, which differs
     *     from machine to machine, and there are several shards to {@link #agree} on one
     */
    public long samples(long size, long sampleBytes) {
        if (shards() > 1 && (memory.share > 0 || disk.share > 0)) {
            throw new IllegalArgumentException(
                    "what is free differs from machine to machine: give a lazy shard bytes, or a folder that all ranks"
                            + " see to agree on its size");
        }
        return all(size, elements(size, sampleBytes));
    }

    private long all(long size, long elements) {
        return elements >= size / shards() + (size % shards() == 0 ? 0 : 1) ? size : elements * shards();
    }

    /**
     * The same, by the smallest cache of all ranks. They meet in a folder that all of them see: each says what it could
     * hold, rank 0 waits for all and writes down what that comes to, and everyone goes by what is written. It stays
     * there, so a restarted or resumed run has shards of the same size, and ranks that come later do not wait; another
     * folder, or an empty one, makes them agree again.
     * @return the number of samples an epoch; {@link IllegalArgumentException} as for {@link #elements},
     *     {@link StoreException} if the folder cannot be used or not all ranks have come within ten minutes
     */
    public Mono<Long> agree(Path folder, long size, long sampleBytes) {
        return agree(folder, size, sampleBytes, Duration.ofMinutes(10));
    }

    Mono<Long> agree(Path folder, long size, long sampleBytes, Duration patience) {
        return Mono.defer(() -> new Agreement(folder, topology.shard(), patience)
                .on(elements(size, sampleBytes), elements -> all(size, elements)));
    }

    /**
     * A sampler of this rank's part of an epoch of this many samples: with shard, mode and limit set. A disjoint part
     * for each shard, the same in every epoch.
     * @param samples as {@link #samples} or {@link #agree} says
     */
    public Sampler apply(Sampler sampler, long samples) {
        return sampler.shard(owner == Owner.RANK ? topology.shard() : topology.shardByNode())
                .mode(ShardMode.stable().partitions(shards()))
                .limit(samples);
    }
}

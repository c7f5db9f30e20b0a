package io.penstock.cli.stream;

import io.penstock.cache.HitCheck;
import io.penstock.cache.ram.CachePolicy;
import io.penstock.cli.flag.ByteSize;
import io.penstock.cli.flag.DiskSpec;
import io.penstock.cli.flag.Flags;
import io.penstock.cli.flag.RedisSpec;
import io.penstock.cli.flag.SlotSpec;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags of {@code stream} for caches. Numbered with {@link StreamOptions}. */
public final class CacheOptions {

    @Option(
            order = 120,
            names = "--cache-ram",
            paramLabel = "SIZE",
            converter = Flags.Size.class,
            description = "Keep loaded samples in memory off the heap: 512MiB, 20GiB, or 50%% of what is free.")
    @Nullable ByteSize ram;

    @Option(
            order = 130,
            names = "--cache-policy",
            paramLabel = "hold|lru|cost",
            converter = Flags.Policy.class,
            description = "What a full cache does: hold keeps what it has (default), lru evicts, cost keeps the "
                    + "samples that take longest to load per byte.")
    @Nullable CachePolicy policy;

    @Option(
            order = 135,
            names = "--cache-slots",
            paramLabel = "FILE,SIZE",
            converter = SlotSpec.Reader.class,
            description = "Keep samples of one size in a file of shared memory, for all processes of this machine: "
                    + "/dev/shm/train,8GiB, or 50%% of what is free there.")
    @Nullable SlotSpec slots;

    @Option(
            order = 140,
            names = "--cache-disk",
            paramLabel = "DIR[,SIZE]",
            converter = DiskSpec.Reader.class,
            description = "Keep them in this directory too, where the next run finds them: DIR, DIR,20GiB, "
                    + "or DIR,50%% of what is free, which is the default.")
    @Nullable DiskSpec disk;

    @Option(
            order = 150,
            names = "--cache-redis",
            paramLabel = "URI",
            converter = RedisSpec.Reader.class,
            description = "Share them with other machines: redis://HOST:PORT?name=NAME, rediss://, redis-cluster://, "
                    + "spawn:SIZE, a server for all processes of this node, or spawn-all:SIZE, one a node and all of "
                    + "them one cache. The password comes from PENSTOCK_REDIS_PASSWORD or from ?password-file=FILE.")
    @Nullable RedisSpec redis;

    @Option(
            order = 440,
            names = "--verify-hits",
            paramLabel = "SHARE[,warn]",
            converter = Flags.Hits.class,
            description = "Load this share of the hits again, such as 1%%; fail where they differ, or warn and count.")
    @Nullable HitCheck verifyHits;

    @Option(
            order = 450,
            names = "--verify-reads",
            description = "Compare the checksum of a value at every read from --cache-disk, not only at the first.")
    boolean verifyReads;

    /** Those that were given, and the defaults of the others. */
    static CacheOptions of(StreamOptions options) {
        return Objects.requireNonNullElseGet(options.caches(), CacheOptions::new);
    }

    /** The folder of the cache on disk. */
    @Nullable Path directory() {
        return disk == null ? null : disk.directory();
    }

    /** Whether every machine's cache has the same number of bytes. */
    boolean isOfFixedSize() {
        ByteSize onDisk = disk == null ? null : disk.size();
        return (ram == null || !ram.isShare()) && (disk == null || onDisk != null && !onDisk.isShare());
    }

    /** @throws IllegalArgumentException if they do not fit to one another or to other flags */
    void requireConsistent(StreamOptions others) {
        boolean cached = ram != null || slots != null || disk != null || redis != null;
        if (policy != null && ram == null && disk == null) {
            throw new IllegalArgumentException("--cache-policy needs --cache-ram or --cache-disk");
        }
        if (policy == CachePolicy.COST && ram == null) {
            throw new IllegalArgumentException(
                    "--cache-policy cost chooses what RAM holds, so it needs --cache-ram; a cache on disk alone "
                            + "holds what comes first");
        }
        if (verifyHits != null && !cached) {
            throw new IllegalArgumentException("--verify-hits needs a cache to check: --cache-ram, --cache-slots, "
                    + "--cache-disk or --cache-redis");
        }
        if (verifyReads && disk == null) {
            throw new IllegalArgumentException("--verify-reads needs a cache on disk to read: --cache-disk");
        }
        if (slots != null && others.lazyShard() != null) {
            throw new IllegalArgumentException("--cache-slots and --lazy-shard exclude each other: slots are those of "
                    + "the first samples, and a lazy shard has others");
        }
        DiskSpec mirror = others.mirror();
        if (mirror != null && disk != null && isSame(mirror.directory(), disk.directory())) {
            throw new IllegalArgumentException("--mirror and --cache-disk need a folder each, was " + disk.directory());
        }
    }

    private static boolean isSame(Path one, Path other) {
        return one.toAbsolutePath().normalize().equals(other.toAbsolutePath().normalize());
    }
}

package io.penstock.cli.stream;

import io.penstock.cache.HitCheck;
import io.penstock.cache.ram.CachePolicy;
import io.penstock.cache.redis.RedisOptions;
import io.penstock.cli.flag.ByteSize;
import io.penstock.cli.flag.DiskSpec;
import io.penstock.cli.flag.SlotSpec;
import io.penstock.internal.Arguments;
import io.penstock.tensor.Form;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags for caches. */
final class CacheFlags {

    @Option(names = "--cache-ram", paramLabel = "SIZE")
    @Nullable ByteSize ram;

    @Option(names = "--cache-policy", paramLabel = "hold|lru|cost")
    @Nullable CachePolicy policy;

    @Option(names = "--cache-form", paramLabel = "auto|file|packed|plain")
    Form.@Nullable Use form;

    @Option(names = "--cache-slots", paramLabel = "FILE,SIZE")
    @Nullable SlotSpec slots;

    @Option(names = "--cache-disk", paramLabel = "DIR[,SIZE]")
    @Nullable DiskSpec disk;

    @Option(names = "--cache-redis", paramLabel = "URI")
    @Nullable RedisOptions redis;

    @Option(names = "--verify-hits", paramLabel = "SHARE[,warn]")
    @Nullable HitCheck verifyHits;

    @Option(names = "--verify-reads")
    boolean verifyReads;

    @Nullable Path directory() {
        return disk == null ? null : disk.directory();
    }

    /** Whether every machine's cache has the same number of bytes. */
    boolean isOfFixedSize() {
        ByteSize onDisk = disk == null ? null : disk.size();
        return (ram == null || !ram.isShare()) && (disk == null || onDisk != null && !onDisk.isShare());
    }

    /**
     * Checks them against one another and the flags that exclude them.
     * @param lazy   whether a shard has the samples that the cache holds
     * @param mirror the folder of copies; null without any
     * @throws IllegalArgumentException if they do not fit together
     */
    void check(boolean lazy, @Nullable Path mirror) {
        boolean cached = ram != null || slots != null || disk != null || redis != null;
        if (policy != null && ram == null && disk == null) {
            throw new IllegalArgumentException("--cache-policy needs --cache-ram or --cache-disk");
        }
        if (policy == CachePolicy.COST && ram == null) {
            throw new IllegalArgumentException(
                    "--cache-policy cost chooses what RAM holds, so it needs --cache-ram; a cache on disk alone "
                            + "holds what comes first");
        }
        if (form != null && (slots != null || !cached)) {
            throw new IllegalArgumentException("--cache-form is for what --cache-ram, --cache-disk and --cache-redis"
                    + " keep; slots keep samples as they are");
        }
        if (verifyHits != null && !cached) {
            throw new IllegalArgumentException("--verify-hits needs a cache to check: --cache-ram, --cache-slots, "
                    + "--cache-disk or --cache-redis");
        }
        Arguments.refuse(verifyReads && disk == null, "--verify-reads needs a cache on disk to read: --cache-disk");
        if (slots != null && lazy) {
            throw new IllegalArgumentException("--cache-slots and --lazy-shard exclude each other: slots are those of "
                    + "the first samples, and a lazy shard has others");
        }
        if (mirror != null && disk != null && isSame(mirror, disk.directory())) {
            throw new IllegalArgumentException("--mirror and --cache-disk need a folder each, was " + disk.directory());
        }
    }

    private static boolean isSame(Path one, Path other) {
        return one.toAbsolutePath().normalize().equals(other.toAbsolutePath().normalize());
    }
}

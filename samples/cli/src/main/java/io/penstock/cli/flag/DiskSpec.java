package io.penstock.cli.flag;

import io.penstock.cache.chronicle.ChronicleOptions;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.cache.ram.CachePolicy;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A directory to cache in and how much of its disk, as {@code --cache-disk} says it: {@code DIR}, {@code DIR,20GiB} or
 * {@code DIR,50%} of what is free.
 *
 * @param size null where nothing was said
 */
public record DiskSpec(Path directory, @Nullable ByteSize size) {

    /**
     * Reads it. What follows the last comma is a size if it begins as a number does, so that directories may have
     * commas.
     * @throws IllegalArgumentException if there is no directory, or no size where one is
     */
    public static DiskSpec parse(String text) {
        int comma = text.lastIndexOf(',');
        boolean sized = comma >= 0 && comma + 1 < text.length() && beginsNumber(text.charAt(comma + 1));
        String directory = sized ? text.substring(0, comma) : text;
        if (directory.isBlank() || directory.endsWith(",")) {
            throw new IllegalArgumentException(
                    "a directory and a size such as DIR, DIR,20GiB or DIR,50%% were expected, was \"%s\""
                            .formatted(text));
        }
        return new DiskSpec(Path.of(directory), sized ? ByteSize.parse(text.substring(comma + 1)) : null);
    }

    private static boolean beginsNumber(char first) {
        return Character.isDigit(first) || "+-.".indexOf(first) >= 0 || Character.isWhitespace(first);
    }

    /** Opens the cache to hold what it has. */
    public ChronicleTier open() {
        return open(CachePolicy.HOLD, false);
    }

    /**
     * Opens the cache; the policies but {@code lru} hold what is on disk.
     * @param verifyReads whether a value's checksum is compared at every read
     * @throws io.penstock.fault.StoreException if the directory cannot be used
     */
    public ChronicleTier open(CachePolicy policy, boolean verifyReads) {
        ChronicleOptions cache = ChronicleTier.at(directory);
        if (size != null) {
            cache = size.isShare() ? cache.maxFreeShare(size.share()) : cache.maxBytes(size.bytes());
        }
        cache = verifyReads ? cache.verifyEveryRead() : cache;
        return (policy == CachePolicy.LRU ? cache.leastRecentlyUsed() : cache).open();
    }
}

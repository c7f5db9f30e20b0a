package io.penstock.cli.cache;

import io.penstock.cache.chronicle.CacheDirectory;
import io.penstock.cli.source.Sources;
import io.penstock.fault.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What else is in a cache's directory: the folder that sources of tar archives keep there, and files that are not
 * Penstock's.
 *
 * @param folder that of the sources; there may be none
 * @param own     files that a run has made and makes again
 * @param foreign what no cache has made; it is neither read nor deleted
 */
record BesideTheLog(Path folder, List<Path> own, List<Path> foreign) {

    private static final Pattern OWN = Pattern.compile(
            "[0-9a-f]{32}\\.tarindex|(sums-)?[0-9a-f]{16}-[0-9a-f]{16}-\\d+\\.unpacked|(sums-)?partial-\\d+\\.tmp");

    /** Lists the directory. Blocks. */
    static BesideTheLog in(CacheDirectory cache) {
        Path folder = cache.path().resolve(Sources.TAR_INDEX);
        List<Path> own = new ArrayList<>();
        List<Path> foreign = new ArrayList<>(cache.foreign());
        if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            foreign.remove(folder);
            try (Stream<Path> files = Files.list(folder)) {
                files.sorted().forEach(file -> (isOwn(file) ? own : foreign).add(file));
            } catch (IOException e) {
                throw new StoreException("cannot list %s: %s".formatted(folder, e.getMessage()), e);
            }
        }
        return new BesideTheLog(folder, own, foreign);
    }

    private static boolean isOwn(Path file) {
        return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                && OWN.matcher(String.valueOf(file.getFileName())).matches();
    }

    /** Deletes what is Penstock's, and the folder if nothing else is in it. */
    void clear() {
        try {
            for (Path file : own) {
                Files.deleteIfExists(file);
            }
            if (foreign.stream().noneMatch(file -> file.startsWith(folder))) {
                Files.deleteIfExists(folder);
            }
        } catch (IOException e) {
            throw new StoreException("cannot clear %s: %s".formatted(folder, e.getMessage()), e);
        }
    }
}

package io.penstock.cli.cache;

import io.penstock.cache.chronicle.CacheDirectory;
import io.penstock.cli.flag.OutputFlags;
import io.penstock.cli.source.Sources;
import io.penstock.fault.StoreException;
import io.penstock.internal.FileErrors;
import io.penstock.internal.FileWork;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What else is in a cache's directory: the folders that runs keep there, of tar archives and of the lengths of texts,
 * and files that are not Penstock's.
 *
 * @param directory the cache's
 * @param own       files that a run has made and makes again
 * @param foreign   what no cache has made; it is neither read nor deleted
 */
record BesideTheLog(Path directory, List<Path> own, List<Path> foreign) {

    /** The names of own files, by folder. */
    private static final Map<String, Pattern> OWN = Map.of(
            Sources.TAR_INDEX,
                    Pattern.compile("[0-9a-f]{32}\\.tarindex|[0-9a-f]{32}\\.groups|"
                            + "\\.[0-9a-f]{32}\\.groups\\.[0-9a-f-]{36}\\.new|"
                            + "\\.?[0-9a-f]{32}\\.annotations(\\.[0-9a-f-]{36}\\.new)?|"
                            + "(sums-)?[0-9a-f]{16}-[0-9a-f]{16}-\\d+\\.unpacked"
                            + "|(sums-)?partial-[-0-9a-f]+\\.tmp|\\.penstock-unpack-turns"),
            Sources.LISTS, Pattern.compile("[0-9a-f]{32}\\.list|\\.[0-9a-f]{32}\\.list\\.[0-9a-f-]{36}\\.new"),
            Sources.LENGTHS, Pattern.compile("[0-9a-f]{16}(\\.lock|-[0-9a-f]{32}\\.index|-[-0-9a-f]{36}\\.part)"));

    /** Lists the directory. Blocks. */
    static BesideTheLog in(CacheDirectory cache) {
        List<Path> own = new ArrayList<>();
        List<Path> foreign = new ArrayList<>(cache.foreign());
        OWN.forEach((name, ownNames) -> {
            Path folder = cache.path().resolve(name);
            if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
                foreign.remove(folder);
                try (Stream<Path> files = Files.list(folder)) {
                    files.sorted().forEach(file -> (isOwn(file, ownNames) ? own : foreign).add(file));
                } catch (IOException e) {
                    throw new StoreException("cannot list %s: %s".formatted(folder, FileErrors.reason(e)), e);
                }
            }
        });
        return new BesideTheLog(cache.path(), own, foreign);
    }

    private static boolean isOwn(Path file, Pattern ownNames) {
        return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                && ownNames.matcher(String.valueOf(file.getFileName())).matches();
    }

    /** The bytes of the own files that have some, by their names in the directory. */
    Map<String, Long> files() {
        Map<String, Long> bytes = new TreeMap<>();
        for (Path file : own) {
            long size = file.toFile().length(); // 0 where it has gone since it was listed
            if (size > 0) {
                bytes.put(directory.relativize(file).toString(), size);
            }
        }
        return bytes;
    }

    void nameForeign(OutputFlags flags) {
        for (Path file : foreign) {
            String name = directory.relativize(file).toString();
            flags.print(
                    "left alone: %s, which is not the cache's".formatted(name),
                    "foreign",
                    node -> node.put("file", name));
        }
    }

    /** Deletes what is Penstock's, and each folder if nothing else is in it. */
    void clear() {
        FileWork.run("cannot clear " + directory, () -> {
            for (Path file : own) {
                Files.deleteIfExists(file);
            }
            for (String name : OWN.keySet()) {
                Path folder = directory.resolve(name);
                if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
                        && foreign.stream().noneMatch(file -> file.startsWith(folder))) {
                    Files.deleteIfExists(folder);
                }
            }
        });
    }
}

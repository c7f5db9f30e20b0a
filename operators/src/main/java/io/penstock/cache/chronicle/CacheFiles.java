package io.penstock.cache.chronicle;

import io.penstock.pipeline.StoreException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/** The names in a cache's directory. What has another name is not ours: it is neither read nor deleted. */
final class CacheFiles {

    static final int FORMAT = 1;
    static final int NO_FORMAT = -1;

    private static final Pattern FORMAT_LINE = Pattern.compile("penstock cache, format (\\d{1,9}), ([0-9a-f]{8})\\n");
    private static final Pattern LOG = Pattern.compile("log-(\\d{6,9})");
    private static final Pattern SEGMENT = Pattern.compile("\\d{8}-\\d{4}V\\.cq4");
    private static final String TABLE = "metadata.cq4t";

    final Path root;

    CacheFiles(Path root) {
        this.root = root;
    }

    /** What a failure means to whoever named the directory. */
    static String reason(IOException e) {
        if (e instanceof NoSuchFileException missing) {
            return "there is no %s, and it cannot be made".formatted(missing.getFile());
        }
        if (e instanceof AccessDeniedException denied) {
            return "%s may not be written to by this user".formatted(denied.getFile());
        }
        if (e instanceof FileAlreadyExistsException exists) {
            return "%s is a file and no directory".formatted(exists.getFile());
        }
        return e.toString();
    }

    Path control() {
        return root.resolve("control");
    }

    Path locks() {
        return root.resolve("locks");
    }

    /** Locked once per JVM, see {@link Locks}. */
    Path once() {
        return root.resolve("once");
    }

    /** Who filled the cache, see {@link Roster}. */
    Path fillings() {
        return root.resolve("fillings");
    }

    private Path format() {
        return root.resolve("format");
    }

    /**
     * Makes sure that what lies here is ours to read, and says so to whoever comes later. A line that is damaged is written
     * anew: each entry carries the format too.
     * @throws StoreException if another version wrote here
     */
    void requireFormat(boolean write) throws IOException {
        int found = readFormat();
        if (found != NO_FORMAT && found != FORMAT) {
            throw new StoreException(
                    "cannot use the cache in %s: it is of format %d, and this version reads format %d; clear it or choose another directory"
                            .formatted(root, found, FORMAT));
        }
        if (found == NO_FORMAT && write) {
            Path half = root.resolve("format.new");
            Files.writeString(half, formatLine(FORMAT));
            Files.move(half, format(), java.nio.file.StandardCopyOption.ATOMIC_MOVE);
        }
    }

    /** The format's number; {@link #NO_FORMAT} where none is legible. */
    int readFormat() throws IOException {
        try (var in = Files.newInputStream(format(), StandardOpenOption.READ)) {
            String line = new String(in.readNBytes(100), StandardCharsets.ISO_8859_1);
            Matcher words = FORMAT_LINE.matcher(line);
            if (words.matches()) {
                int format = Integer.parseInt(words.group(1));
                return formatLine(format).equals(line) ? format : NO_FORMAT;
            }
            return NO_FORMAT;
        } catch (NoSuchFileException e) {
            return NO_FORMAT;
        }
    }

    static String formatLine(int format) {
        String words = "penstock cache, format " + format;
        CRC32C sum = new CRC32C();
        sum.update(words.getBytes(StandardCharsets.UTF_8));
        return "%s, %08x%n".formatted(words, sum.getValue()).replace("\r", "");
    }

    /** Oldest first. */
    List<Path> logs() throws IOException {
        return named(root, LOG);
    }

    /** Oldest first. */
    List<Path> segments(Path log) throws IOException {
        return named(log, SEGMENT);
    }

    private static List<Path> named(Path directory, Pattern pattern) throws IOException {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(
                directory,
                path -> pattern.matcher(path.getFileName().toString()).matches())) {
            all.forEach(found::add);
        } catch (NoSuchFileException | NotDirectoryException e) {
            return List.of(); // deleted since it was listed, or never ours
        } catch (java.nio.file.DirectoryIteratorException e) {
            throw e.getCause();
        }
        found.sort(null);
        return found;
    }

    /** A new, empty directory behind all that there are. */
    Path newLog() throws IOException {
        List<Path> logs = logs();
        long next = logs.isEmpty() ? 0 : numberOf(logs.get(logs.size() - 1)) + 1;
        for (; ; next++) {
            Path log = root.resolve("log-%06d".formatted(next));
            try {
                return Files.createDirectory(log);
            } catch (FileAlreadyExistsException e) {
                // another process was faster
            }
        }
    }

    private static long numberOf(Path log) {
        Matcher name = LOG.matcher(log.getFileName().toString());
        return name.matches() ? Long.parseLong(name.group(1)) : -1;
    }

    /** Deletes a log that holds nothing but Chronicle's table. */
    void deleteIfEmpty(Path log) throws IOException {
        if (segments(log).isEmpty()) {
            deleteLog(log);
        }
    }

    private void deleteLog(Path log) throws IOException {
        for (Path segment : segments(log)) {
            Files.deleteIfExists(segment);
        }
        Files.deleteIfExists(log.resolve(TABLE));
        try (DirectoryStream<Path> rest = Files.newDirectoryStream(log)) {
            if (rest.iterator().hasNext()) {
                return; // something foreign
            }
        }
        Files.deleteIfExists(log);
    }

    /** Deletes what is ours, and the directory if nothing else was in it. */
    void clear() throws IOException {
        for (Path log : logs()) {
            deleteLog(log);
        }
        for (Path file : List.of(control(), fillings(), locks(), once(), root.resolve("format.new"), format())) {
            Files.deleteIfExists(file);
        }
    }
}

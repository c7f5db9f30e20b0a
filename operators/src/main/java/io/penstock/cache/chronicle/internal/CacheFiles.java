package io.penstock.cache.chronicle.internal;

import io.penstock.fault.StoreException;
import io.penstock.internal.AtomicFile;
import io.penstock.internal.Crc32c;
import io.penstock.internal.Notice;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The files in a cache's directory. A file of any other name is not ours: it is neither read nor deleted. */
public final class CacheFiles {

    public static final int FORMAT = 1;
    public static final int NO_FORMAT = -1;

    private static final Pattern FORMAT_LINE = Pattern.compile("penstock cache, format (\\d{1,9}), ([0-9a-f]{8})\\n");
    private static final Logger LOG = LoggerFactory.getLogger(CacheFiles.class);
    private static final Pattern ANYTHING = Pattern.compile("(?s).*");
    private static final Pattern LOG_NAME = Pattern.compile("log-(\\d{6,9})");
    private static final Pattern SEGMENT = Pattern.compile("\\d{8}-\\d{4}V\\.cq4");
    private static final String TABLE = "metadata.cq4t";

    public final Path root;

    public CacheFiles(Path root) {
        this.root = root;
    }

    /** A failure in the words of the user who named the directory. */
    public static String reason(IOException e) {
        if (e instanceof NoSuchFileException missing) {
            return "there is no %s, and it cannot be made".formatted(missing.getFile());
        }
        if (e instanceof AccessDeniedException denied) {
            return "%s may not be written to by this user".formatted(denied.getFile());
        }
        if (e instanceof FileAlreadyExistsException exists) {
            Path path = Path.of(exists.getFile());
            String what = strangeness(path, true);
            return "%s is %s".formatted(path, what == null ? "there already" : what);
        }
        if (e instanceof FileSystemException failed && failed.getReason() != null) {
            return "%s: %s".formatted(failed.getFile(), failed.getReason());
        }
        return e.getMessage() == null ? e.toString() : e.getMessage();
    }

    public Path control() {
        return root.resolve("control");
    }

    public Path locks() {
        return root.resolve("locks");
    }

    /** The guard of the locks: a JVM locks it once. */
    public Path once() {
        return root.resolve("once");
    }

    /** What filled the cache. */
    public Path fillings() {
        return root.resolve("fillings");
    }

    private Path format() {
        return root.resolve("format");
    }

    /** The file of {@link #format} before it has its name. */
    private Path halfFormat() {
        return root.resolve("format.new");
    }

    /**
     * Checks the version of what lies here, and writes it where it is missing or damaged. Writing may fail: each entry
     * carries the version too.
     * @throws StoreException if another version wrote here
     */
    public void requireFormat(boolean write) {
        int found = readFormat();
        if (found != NO_FORMAT && found != FORMAT) {
            throw new StoreException(
                    ("cannot use the cache in %s: it is of format %d, and this version reads format %d; clear it or"
                                    + " choose another directory")
                            .formatted(root, found, FORMAT));
        }
        if (found == NO_FORMAT && write) {
            try {
                AtomicFile.write(format(), halfFormat(), formatLine(FORMAT).getBytes(StandardCharsets.ISO_8859_1));
            } catch (IOException e) {
                Notice.warn(LOG, "cannot write down the format of the cache, which it does without: {}", reason(e));
            }
        }
    }

    /** The format's number; {@link #NO_FORMAT} where none is legible. */
    public int readFormat() {
        if (!Files.isRegularFile(format())) {
            return NO_FORMAT;
        }
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
        } catch (IOException e) {
            Notice.warn(LOG, "cannot read the format of the cache, which it does without: {}", reason(e));
            return NO_FORMAT;
        }
    }

    /** Whether the file of the format is damaged. */
    public boolean hasIllegibleFormat() {
        return Files.isRegularFile(format()) && readFormat() == NO_FORMAT;
    }

    public static String formatLine(int format) {
        String words = "penstock cache, format " + format;
        return "%s, %08x%n"
                .formatted(words, Crc32c.of(words.getBytes(StandardCharsets.UTF_8)))
                .replace("\r", "");
    }

    private List<Path> own() {
        return List.of(control(), fillings(), locks(), once(), halfFormat(), format());
    }

    /** Oldest first. */
    public List<Path> logs() throws IOException {
        return named(root, LOG_NAME).stream().filter(Files::isDirectory).toList();
    }

    /** Oldest first; none of a log that cannot be listed. */
    public List<Path> segments(Path log) {
        return segmentNames(log).stream().filter(Files::isRegularFile).toList();
    }

    private static List<Path> segmentNames(Path log) {
        try {
            return named(log, SEGMENT);
        } catch (IOException e) {
            return List.of(); // deleted since it was listed, or it is strange
        }
    }

    private static List<Path> named(Path directory, Pattern pattern) throws IOException {
        List<Path> found = new ArrayList<>();
        if (!Files.isDirectory(directory)) {
            return found; // a pipe would be waited for
        }
        try (DirectoryStream<Path> all = Files.newDirectoryStream(
                directory,
                path -> pattern.matcher(path.getFileName().toString()).matches())) {
            all.forEach(found::add);
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        found.sort(null);
        return found;
    }

    /** Paths at which something else is than a file or directory of ours. Opens none of them: a pipe would wait. */
    public List<Strange> strange() throws IOException {
        List<Strange> strange = new ArrayList<>();
        for (Path file : own()) {
            addIfStrange(strange, file, false);
        }
        for (Path log : named(root, LOG_NAME)) {
            addIfStrange(strange, log, true);
            segmentNames(log).forEach(segment -> addIfStrange(strange, segment, false));
        }
        return strange;
    }

    /** The same for the files that processes share. */
    public List<Strange> strangeShared() {
        List<Strange> strange = new ArrayList<>();
        List.of(once(), locks(), control()).forEach(file -> addIfStrange(strange, file, false));
        return strange;
    }

    private static void addIfStrange(List<Strange> strange, Path path, boolean directory) {
        String what = strangeness(path, directory);
        if (what != null) {
            strange.add(new Strange(path, what));
        }
    }

    /** What is at a path in place of a file or directory; {@code null} if it is one, or nothing is there. */
    public static @Nullable String strangeness(Path path, boolean directory) {
        try {
            BasicFileAttributes found = Files.readAttributes(path, BasicFileAttributes.class);
            if (directory ? found.isDirectory() : found.isRegularFile()) {
                return Files.isReadable(path) ? null : "not to be read by this user";
            }
            String kind = found.isDirectory() ? "a directory" : found.isRegularFile() ? "a file" : "a pipe or a device";
            return kind + (directory ? " and no directory" : " and no file");
        } catch (IOException e) {
            return Files.isSymbolicLink(path) ? "a link that leads to no file" : null;
        }
    }

    /** A new, empty directory with a number above all others. */
    Path newLog() throws IOException {
        List<Path> logs = named(root, LOG_NAME);
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
        Matcher name = LOG_NAME.matcher(log.getFileName().toString());
        return name.matches() ? Long.parseLong(name.group(1)) : -1;
    }

    /** Deletes a log that holds nothing but Chronicle's table. */
    void deleteIfEmpty(Path log) throws IOException {
        if (segments(log).isEmpty()) {
            deleteLog(log);
        }
    }

    private void deleteLog(Path log) throws IOException {
        for (Path segment : segmentNames(log)) {
            delete(segment);
        }
        delete(log.resolve(TABLE));
        try {
            Files.deleteIfExists(log);
        } catch (DirectoryNotEmptyException e) {
            LOG.debug("something foreign is in {}", log);
        }
    }

    /** A directory in a file's place is not ours. */
    private static void delete(Path file) throws IOException {
        if (!Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
            Files.deleteIfExists(file);
        }
    }

    /** Deletes all files of ours. */
    public void clear() throws IOException {
        for (Path log : logs()) {
            deleteLog(log);
        }
        for (Path file : own()) {
            delete(file);
        }
    }

    /** The paths in the directory and in its logs that have no name of ours, sorted. */
    public List<Path> foreign() throws IOException {
        Set<Path> own = new HashSet<>(own());
        List<Path> foreign = new ArrayList<>();
        for (Path path : named(root, ANYTHING)) {
            if (LOG_NAME.matcher(path.getFileName().toString()).matches() && Files.isDirectory(path)) {
                foreign.addAll(named(path, ANYTHING));
                own.addAll(segmentNames(path));
                own.add(path.resolve(TABLE));
            } else {
                foreign.add(path);
            }
        }
        foreign.removeIf(path -> own.contains(path) && !Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS));
        return foreign;
    }

    /**
     * A path of the cache at which something else is than belongs there.
     *
     * @param what is there, with an article
     */
    public record Strange(Path path, String what) {

        @Override
        public String toString() {
            return "%s is %s; delete it".formatted(path, what);
        }
    }
}

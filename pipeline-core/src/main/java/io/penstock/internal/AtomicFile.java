package io.penstock.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files that appear at once: they are written beside under another name, then renamed. A reader, or a process that comes
 * after a kill, finds the whole new file or the one before. Nothing is forced to the disk, so a crash of the machine may
 * lose the new file.
 */
public final class AtomicFile {

    private static final Logger LOG = LoggerFactory.getLogger(AtomicFile.class);

    private AtomicFile() {}

    /**
     * Writes a file in place of what has its name. Writers of one file do not disturb each other: the last one wins.
     * Removes what killed writers of this file left an hour ago or earlier.
     * @param attributes of the new file, from its creation on
     */
    public static void write(Path file, byte[] bytes, FileAttribute<?>... attributes) throws IOException {
        write(
                file,
                file.resolveSibling(".%s.%s.new".formatted(file.getFileName(), UUID.randomUUID())),
                bytes,
                attributes);
        sweep(file);
    }

    private static void sweep(Path file) {
        Instant latest = Instant.now().minus(Duration.ofHours(1));
        String left = Pattern.quote("." + file.getFileName() + ".") + "[0-9a-f-]{36}\\.new";
        try (DirectoryStream<Path> files = Files.newDirectoryStream(
                file.resolveSibling(""),
                beside -> String.valueOf(beside.getFileName()).matches(left))) {
            for (Path beside : files) {
                if (Files.getLastModifiedTime(beside).toInstant().isBefore(latest)) {
                    Files.deleteIfExists(beside);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            LOG.debug("what killed writers of {} left stays", file, e);
        }
    }

    /** As {@link #write(Path, byte[], FileAttribute...)}, of text in UTF-8. */
    public static void write(Path file, String text, FileAttribute<?>... attributes) throws IOException {
        write(file, text.getBytes(StandardCharsets.UTF_8), attributes);
    }

    /** The same for one writer at a time, which goes by a name of its choice. What is left under that name is deleted. */
    public static void write(Path file, Path beside, byte[] bytes, FileAttribute<?>... attributes) throws IOException {
        Files.deleteIfExists(beside); // it may be a pipe, which a write would wait for
        try {
            try (SeekableByteChannel out = Files.newByteChannel(
                    beside, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), attributes)) {
                for (ByteBuffer rest = ByteBuffer.wrap(bytes); rest.hasRemaining(); ) {
                    out.write(rest);
                }
            }
            rename(beside, file);
        } catch (IOException | RuntimeException e) {
            Files.deleteIfExists(beside);
            throw e;
        }
    }

    /** Gives a file that is complete its name, in place of what has that name. */
    public static void rename(Path complete, Path file) throws IOException {
        Files.move(complete, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}

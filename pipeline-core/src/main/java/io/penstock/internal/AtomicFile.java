package io.penstock.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.util.Set;
import java.util.UUID;

/**
 * Files that appear at once: they are written beside under another name, then renamed. A reader, or a process that comes
 * after a kill, finds the whole new file or the one before. Nothing is forced to the disk, so a crash of the machine may
 * lose the new file.
 */
public final class AtomicFile {

    private AtomicFile() {}

    /**
     * Writes a file in place of what has its name. Writers of one file do not disturb each other: the last one wins.
     * @param attributes of the new file, from its creation on
     */
    public static void write(Path file, byte[] bytes, FileAttribute<?>... attributes) throws IOException {
        write(
                file,
                file.resolveSibling(".%s.%s.new".formatted(file.getFileName(), UUID.randomUUID())),
                bytes,
                attributes);
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

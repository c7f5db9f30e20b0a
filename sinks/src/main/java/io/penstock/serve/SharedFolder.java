package io.penstock.serve;

import io.penstock.fault.StoreException;
import io.penstock.internal.FileErrors;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The shared files of a server, {@code penstock-PID-N.ring} and {@code .board}, in a folder that only this user may
 * enter. Opening the folder removes the files of servers that were killed.
 */
final class SharedFolder implements AutoCloseable {

    private static final Pattern NAME = Pattern.compile("penstock-(\\d{1,18})-\\d{1,18}\\.(?:ring|board)");
    private static final Set<PosixFilePermission> OWNER = PosixFilePermissions.fromString("rwx------");

    private final Path folder;
    private final AtomicLong files = new AtomicLong();
    private final Set<BatchRing> rings = ConcurrentHashMap.newKeySet();

    private SharedFolder(Path folder) {
        this.folder = folder;
    }

    /**
     * Opens a folder; makes it if it is absent.
     * @throws StoreException if that is not possible, or others may enter it
     */
    static SharedFolder open(Path path) {
        Path folder = path.toAbsolutePath();
        try {
            if (Files.notExists(folder, LinkOption.NOFOLLOW_LINKS)) {
                Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(OWNER));
            }
            requireOurs(folder);
            removeLeftovers(folder);
            return new SharedFolder(folder);
        } catch (IOException e) {
            throw new StoreException("cannot share memory at %s: %s".formatted(folder, FileErrors.reason(e)), e);
        } catch (UnsupportedOperationException e) {
            throw new StoreException("cannot share memory at %s: %s".formatted(folder, e.getMessage()), e);
        }
    }

    private static void requireOurs(Path folder) throws IOException {
        PosixFileAttributes found = Files.readAttributes(folder, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!found.isDirectory() || !OWNER.containsAll(found.permissions())) {
            throw new StoreException(
                    ("cannot share memory at %s: it must be a folder that only its owner may enter (700), is %s; "
                                    + "name one that does not exist yet")
                            .formatted(folder, PosixFilePermissions.toString(found.permissions())));
        }
    }

    private static void removeLeftovers(Path folder) throws IOException {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(folder)) {
            for (Path file : all) {
                Matcher name = NAME.matcher(file.getFileName().toString());
                if (name.matches()
                        && ProcessHandle.of(Long.parseLong(name.group(1))).isEmpty()) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    SharedFile begin() {
        return SharedFile.create(next("ring"));
    }

    BatchRing ring() {
        BatchRing ring = BatchRing.create(next("board"), rings::remove);
        rings.add(ring);
        return ring;
    }

    private Path next(String kind) {
        return folder.resolve(
                "penstock-%d-%d.%s".formatted(ProcessHandle.current().pid(), files.getAndIncrement(), kind));
    }

    /**
     * Removes the files of consumers whose connections still close, and the folder unless another server uses it too.
     */
    @Override
    public void close() {
        List.copyOf(rings).forEach(BatchRing::close);
        try {
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            return; // it is not empty
        }
    }
}

package io.penstock.bench.torture;

import io.penstock.bench.ChildProcess;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A file system of a few megabytes, which can be filled to its last byte. Mounting one takes rights that not everybody has:
 * without them it is a plain folder, which is never filled.
 */
final class SmallDisk implements AutoCloseable {

    private final Path folder;
    private final Path filler;
    private final boolean mounted;

    private SmallDisk(Path folder, boolean mounted) {
        this.folder = folder;
        this.filler = folder.resolve("filler");
        this.mounted = mounted;
    }

    static SmallDisk mount(Path folder, long bytes) throws IOException, InterruptedException {
        Files.createDirectories(folder);
        return new SmallDisk(
                folder,
                ChildProcess.run("mount", "-t", "tmpfs", "-o", "size=" + bytes, "penstock-torture", folder.toString()));
    }

    /** Fills it, or frees it again; whether it was filled. */
    boolean fillOrFree() throws IOException {
        if (!mounted) {
            return false;
        }
        if (free()) {
            return false;
        }
        byte[] block = new byte[1 << 16];
        try (OutputStream out = Files.newOutputStream(filler)) {
            while (true) {
                out.write(block);
            }
        } catch (IOException full) {
            return true;
        }
    }

    /** Gives its room back; false if it was not filled. */
    boolean free() throws IOException {
        return Files.deleteIfExists(filler);
    }

    @Override
    public void close() throws IOException {
        try {
            if (mounted && !ChildProcess.run("umount", "--lazy", folder.toString())) {
                throw new IOException("cannot unmount " + folder);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

package io.penstock.bench.torture;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Damages the files of a cache as failing disks and careless people do. */
final class CacheDamage {

    private static final int MAX_FLIPS = 20;

    private final Path cache;
    private final SplittableRandom random;

    CacheDamage(Path cache, SplittableRandom random) {
        this.cache = cache;
        this.random = random;
    }

    /** Flips some bits of a file; false if there is none. */
    boolean flipBits() throws IOException {
        Path file = anyFile();
        if (file == null) {
            return false;
        }
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            for (int flip = random.nextInt(1, MAX_FLIPS); flip > 0; flip--) {
                long at = random.nextLong(bytes.length() + 1);
                bytes.seek(at);
                int before = bytes.read();
                if (before >= 0) {
                    bytes.seek(at);
                    bytes.write(before ^ 1 << random.nextInt(8));
                }
            }
        } catch (IOException e) {
            return false; // a process deleted it meanwhile
        }
        return true;
    }

    /** Cuts a file short; false if there is none. No process may have it mapped. */
    boolean cut() throws IOException {
        Path file = anyFile();
        if (file == null) {
            return false;
        }
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            bytes.setLength(random.nextInt(4) == 0 ? 0 : random.nextLong(bytes.length() + 1));
        }
        return true;
    }

    /** Puts something else in a file's place: nothing, a folder, a link that leads nowhere, or noise. */
    boolean replace() throws IOException {
        Path file = anyFile();
        if (file == null) {
            return false;
        }
        Files.delete(file);
        switch (random.nextInt(4)) {
            case 0 -> Files.createDirectory(file);
            case 1 -> Files.createSymbolicLink(file, file);
            case 2 -> {
                byte[] noise = new byte[random.nextInt(1, 100_000)];
                random.nextBytes(noise);
                Files.write(file, noise);
            }
            default -> {}
        }
        return true;
    }

    private @Nullable Path anyFile() throws IOException {
        if (Files.notExists(cache)) {
            return null;
        }
        try (Stream<Path> files = Files.walk(cache)) {
            List<Path> all = files.filter(Files::isRegularFile).sorted().toList();
            return all.isEmpty() ? null : all.get(random.nextInt(all.size()));
        } catch (UncheckedIOException e) {
            return null; // a process deleted a folder meanwhile
        }
    }
}

package io.penstock.bench.torture;

import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Damages what a job keeps, as failing disks and careless people do: the files of its cache, their disk, and the Redis
 * server that its processes spawn. Each method says whether it did so.
 *
 * <p>The disk is a file system of a few megabytes, which can be filled to its last byte. Mounting one takes rights that
 * not everybody has: without them it is a plain folder, which is never filled.
 */
final class JobDamage implements AutoCloseable {

    private static final int MAX_FLIPS = 20;

    /** Lines of the file in which a server is registered: its port, its process, the one that watches, its password. */
    private static final List<Integer> REGISTERED = List.of(0, 1, 3, 6);

    private static final int REGISTERED_LINES = 7;

    private static final String POISON = """
            for _, key in ipairs(redis.call('KEYS', '*')) do
              if redis.call('TYPE', key).ok == 'string' then
                redis.call('SETRANGE', key, math.min(ARGV[1], redis.call('STRLEN', key)), ARGV[2])
              end
            end
            """;

    private final Path cache;
    private final Path redis;
    private final Path filler;
    private final boolean mounted;
    private final SplittableRandom random;

    private JobDamage(Path cache, Path redis, boolean mounted, SplittableRandom random) {
        this.cache = cache;
        this.redis = redis;
        this.filler = cache.resolve("filler");
        this.mounted = mounted;
        this.random = random;
    }

    /**
     * @param cache a folder that becomes a disk of this size, if it may
     * @param redis the folder in which a server is registered
     */
    static JobDamage mount(Path cache, long bytes, Path redis, SplittableRandom random)
            throws IOException, InterruptedException {
        Files.createDirectories(cache);
        String size = "size=" + bytes;
        boolean mounted = run("mount", "-t", "tmpfs", "-o", size, "penstock-torture", cache.toString());
        return new JobDamage(cache, redis, mounted, random);
    }

    /** What is done to a file. */
    private interface Harm {
        void to(Path file) throws IOException;
    }

    private boolean harm(Harm harm) throws IOException {
        Path file = anyFile();
        if (file != null) {
            harm.to(file);
        }
        return file != null;
    }

    /** Flips some bits of a file. */
    boolean flipBits() throws IOException {
        freeDisk(); // a bit in a hole of a file takes room
        try {
            return harm(this::flipBits);
        } catch (IOException e) {
            return false; // a process deleted it meanwhile
        }
    }

    private void flipBits(Path file) throws IOException {
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
        }
    }

    /** Cuts a file short. No process may have it mapped. */
    boolean cut() throws IOException {
        return harm(file -> {
            try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
                bytes.setLength(random.nextInt(4) == 0 ? 0 : random.nextLong(bytes.length() + 1));
            }
        });
    }

    /** Puts something else in a file's place: nothing, a folder, a link that leads nowhere, or noise. */
    boolean replace() throws IOException {
        freeDisk(); // what replaces it takes room
        return harm(file -> {
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
        });
    }

    private @Nullable Path anyFile() throws IOException {
        try (Stream<Path> files = Files.walk(cache)) {
            List<Path> all = files.filter(Files::isRegularFile).sorted().toList();
            return all.isEmpty() ? null : all.get(random.nextInt(all.size()));
        } catch (UncheckedIOException e) {
            return null; // a process deleted a folder meanwhile
        }
    }

    /** Fills the disk, or frees it again; whether it was filled. */
    boolean fillDisk() throws IOException {
        if (!mounted || freeDisk()) {
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

    /** Gives the room of the disk back. */
    boolean freeDisk() throws IOException {
        return Files.deleteIfExists(filler);
    }

    /** Kills the Redis server, or the process that watches its users. */
    boolean killRedis() throws IOException, InterruptedException {
        List<String> server = registered();
        return !server.isEmpty() && run("kill", "-KILL", server.get(random.nextInt(4) == 0 ? 2 : 1));
    }

    /** Overwrites some bytes of every value, if there is a client to do it with. */
    boolean poisonRedis() throws IOException, InterruptedException {
        List<String> server = registered();
        if (server.isEmpty()) {
            return false;
        }
        String password = "REDISCLI_AUTH=" + server.get(3);
        String at = Integer.toString(random.nextInt(600));
        String noise = Long.toHexString(random.nextLong());
        return run("env", password, "redis-cli", "-p", server.get(0), "EVAL", POISON, "0", at, noise);
    }

    private List<String> registered() throws IOException {
        if (Files.notExists(redis)) {
            return List.of();
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(redis, "server-*")) {
            for (Path file : files) {
                List<String> lines = Files.readAllLines(file);
                return lines.size() == REGISTERED_LINES
                        ? REGISTERED.stream().map(lines::get).toList()
                        : List.of();
            }
        } catch (IOException e) {
            return List.of(); // it ended meanwhile
        }
        return List.of();
    }

    @Override
    public void close() throws IOException {
        try {
            if (mounted && !run("umount", "--lazy", cache.toString())) {
                throw new IOException("cannot unmount " + cache);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Runs a program to its end; whether it ended well. Its output is dropped. */
    static boolean run(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .waitFor()
                == 0;
    }
}

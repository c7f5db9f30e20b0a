package io.penstock.bench.torture;

import io.penstock.cache.redis.internal.Programs;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What a job reads, and through which caches.
 *
 * @param samples     of the source
 * @param sampleBytes of each
 * @param ramShare    of the source that RAM holds in each process, 0 for no RAM cache
 * @param diskShare   of the source that the disk holds, for all
 * @param redis       whether they share a Redis server besides
 */
record JobPlan(
        int samples,
        int sampleBytes,
        int epochs,
        int world,
        int batch,
        double ramShare,
        double diskShare,
        String policy,
        boolean redis) {

    private static final int[] SIZES = {512, 4_096, 40_000, 150_528};
    private static final int MAX_SOURCE_BYTES = 48 << 20;
    private static final double[] SHARES = {0.2, 0.6, 1.5};

    static JobPlan of(SplittableRandom random) {
        int bytes = SIZES[random.nextInt(SIZES.length)];
        int world = random.nextInt(1, 4);
        return new JobPlan(
                random.nextInt(200, Math.min(6_000, MAX_SOURCE_BYTES / bytes)),
                bytes,
                random.nextInt(2, 5),
                world,
                random.nextInt(1, 33),
                random.nextBoolean() ? 0 : SHARES[random.nextInt(SHARES.length)],
                SHARES[random.nextInt(SHARES.length)],
                world == 1 && random.nextBoolean() ? "lru" : "hold", // lru is one process's
                random.nextInt(3) == 0
                        && Programs.find("redis-server", "valkey-server").isPresent());
    }

    long sourceBytes() {
        return (long) samples * sampleBytes;
    }

    void writeSource(Path file, SplittableRandom random) throws IOException {
        byte[] sample = new byte[sampleBytes];
        try (OutputStream out = Files.newOutputStream(file)) {
            for (int i = 0; i < samples; i++) {
                random.nextBytes(sample);
                out.write(sample);
            }
        }
    }

    List<String> flags(Path source) {
        return words("stream --json --digest --source records:%s,%d --seed %d --epochs %d"
                .formatted(source, sampleBytes, samples, epochs));
    }

    /** Those of one rank's process; workers and loads in flight change at each start. */
    List<String> flags(Path source, Path cache, int rank, SplittableRandom random) {
        List<String> flags = new ArrayList<>(flags(source));
        flags.addAll(
                words("--batch-events --batch %d --remainder pad --rank %d --world %d".formatted(batch, rank, world)));
        flags.addAll(words("--in-flight %d --workers %d".formatted(random.nextInt(1, 65), random.nextInt(1, 4))));
        flags.addAll(words(
                "--verify-reads --cache-disk %s,%s --cache-policy %s".formatted(cache, bytes(diskShare), policy)));
        if (ramShare > 0) {
            flags.addAll(List.of("--cache-ram", bytes(ramShare)));
        }
        if (redis) {
            flags.addAll(List.of("--cache-redis", "spawn:64MiB?dir=" + cache.resolveSibling("redis")));
        }
        return flags;
    }

    private static List<String> words(String flags) {
        return List.of(flags.split(" "));
    }

    private String bytes(double share) {
        return Math.max(8 << 20, (long) (share * sourceBytes())) + "B";
    }
}

package io.penstock.bench.torture;

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

    /** @param withRedis whether there is a server to start */
    static JobPlan of(SplittableRandom random, boolean withRedis) {
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
                withRedis && random.nextInt(3) == 0);
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
        return List.of(
                "stream",
                "--json",
                "--digest",
                "--source",
                "records:" + source + "," + sampleBytes,
                "--seed",
                Integer.toString(samples),
                "--epochs",
                Integer.toString(epochs));
    }

    /** What one rank's process has besides; workers and loads in flight change at each start. */
    List<String> flags(Path source, Path cache, int rank, SplittableRandom random) {
        List<String> flags = new ArrayList<>(flags(source));
        flags.addAll(List.of(
                "--batch-events",
                "--batch",
                Integer.toString(batch),
                "--remainder",
                "pad",
                "--rank",
                Integer.toString(rank),
                "--world",
                Integer.toString(world),
                "--in-flight",
                Integer.toString(random.nextInt(1, 65)),
                "--workers",
                Integer.toString(random.nextInt(1, 4)),
                "--verify-reads",
                "--cache-disk",
                cache + "," + bytes(diskShare),
                "--cache-policy",
                policy));
        if (ramShare > 0) {
            flags.addAll(List.of("--cache-ram", bytes(ramShare)));
        }
        if (redis) {
            flags.addAll(List.of("--cache-redis", "spawn:64MiB?dir=" + cache.resolveSibling("redis")));
        }
        return flags;
    }

    private String bytes(double share) {
        return Math.max(8 << 20, (long) (share * sourceBytes())) + "B";
    }
}

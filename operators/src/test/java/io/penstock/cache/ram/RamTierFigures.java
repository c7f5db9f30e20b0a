package io.penstock.cache.ram;

import io.penstock.cache.SampleKey;
import io.penstock.testkit.TierKit;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;

/**
 * Prints what a RAM tier takes and how fast it is, beside bare direct buffers: {@code RamTierFigures SAMPLES LENGTH}.
 * Not a test: speeds are for people to compare, within one run.
 */
final class RamTierFigures {

    private static final int SLAB = 64 << 20;
    private static final int BATCH = 64;
    private static final SampleKey DATASET = SampleKey.of("figures");

    private final int samples;
    private final int length;
    private final ByteBuffer batch;

    private RamTierFigures(int samples, int length) {
        this.samples = samples;
        this.length = length;
        this.batch = ByteBuffer.allocateDirect(BATCH * length);
    }

    public static void main(String[] args) throws Exception {
        new RamTierFigures(Integer.parseInt(args[0]), Integer.parseInt(args[1])).run();
    }

    private void run() throws Exception {
        long rss = status("VmRSS:");
        long written = written();
        RamTier tier = RamTier.ofBytes((long) samples * (length + 28) + (16 << 20));
        System.out.printf("empty: RSS +%,d KiB%n", status("VmRSS:") - rss);
        fill(tier);
        System.gc();
        System.out.printf(
                "held %,d samples of %,d bytes: index %.2f B, all beside the values %.2f B a sample; private dirty %,d"
                        + " KiB, values %,d KiB; written to disk %,d KiB%n",
                tier.statistics().samples(),
                length,
                (double) tier.indexBytes() / samples,
                (double) (tier.statistics().bytes() - (long) samples * length) / samples,
                privateDirty(),
                (long) samples * length / 1024,
                (written() - written) / 1024);
        compare(tier);
        System.gc();
        System.out.printf("before closing: private dirty %,d KiB%n", privateDirty());
        tier.close();
        for (int i = 0; i < 5; i++) {
            System.gc();
            System.out.printf("closed: private dirty %,d KiB%n", privateDirty());
        }
    }

    private void compare(RamTier tier) throws Exception {
        ByteBuffer[] direct = fillDirect();
        for (int round = 0; round < 5; round++) {
            double bare = copyDirect(direct);
            double fromTier = copyTier(tier);
            double batched = copyBatches(tier);
            System.out.printf(
                    "copy %.0f ns bare, %.0f ns from the tier: %.0f %%, a batch at a time %.0f ns: %.0f %%; ",
                    bare, fromTier, 100 * bare / fromTier, batched, 100 * bare / batched);
            System.out.printf(
                    "get %.0f ns cold, %.1f ns hot, a miss %.1f ns%n",
                    gets(tier, samples), gets(tier, 256), misses(tier));
        }
    }

    private void fill(RamTier tier) {
        byte[] value = new byte[length];
        long started = cpuNanos();
        for (int i = 0; i < samples; i++) {
            TierKit.put(tier, DATASET.with(i), ByteBuffer.wrap(value)).block();
        }
        double nanos = cpuNanos() - started;
        System.out.printf("put: %.0f ns a sample, %.2f GB/s%n", nanos / samples, (double) samples * length / nanos);
    }

    private ByteBuffer[] fillDirect() {
        int perSlab = SLAB / length;
        ByteBuffer[] slabs = new ByteBuffer[(samples + perSlab - 1) / perSlab];
        for (int i = 0; i < slabs.length; i++) {
            slabs[i] = ByteBuffer.allocateDirect(SLAB);
        }
        return slabs;
    }

    private int rounds() {
        return (int) Math.max(1_000, (1L << 30) / length / 2);
    }

    private double copyDirect(ByteBuffer[] slabs) {
        SplittableRandom random = new SplittableRandom(2);
        int perSlab = SLAB / length;
        int rounds = rounds();
        long started = cpuNanos();
        for (int i = 0; i < rounds; i++) {
            int sample = random.nextInt(samples);
            batch.put(i % BATCH * length, slabs[sample / perSlab], sample % perSlab * length, length);
        }
        return (double) (cpuNanos() - started) / rounds;
    }

    private double copyTier(RamTier tier) throws Exception {
        SplittableRandom random = new SplittableRandom(2);
        int rounds = rounds();
        long started = cpuNanos();
        for (int i = 0; i < rounds; i++) {
            ByteBuffer view = view(tier, DATASET.with(random.nextInt(samples)));
            batch.put(i % BATCH * length, view, 0, length);
        }
        return (double) (cpuNanos() - started) / rounds;
    }

    /** As a stream does: first the views, then the copies. */
    private double copyBatches(RamTier tier) throws Exception {
        SplittableRandom random = new SplittableRandom(2);
        ByteBuffer[] views = new ByteBuffer[BATCH];
        int rounds = rounds() / BATCH;
        long started = cpuNanos();
        for (int i = 0; i < rounds; i++) {
            for (int j = 0; j < BATCH; j++) {
                views[j] = view(tier, DATASET.with(random.nextInt(samples)));
            }
            for (int j = 0; j < BATCH; j++) {
                batch.put(j * length, views[j], 0, length);
            }
        }
        return (double) (cpuNanos() - started) / rounds / BATCH;
    }

    private static ByteBuffer view(RamTier tier, SampleKey key) throws Exception {
        return (ByteBuffer) ((Callable<?>) tier.get(key)).call();
    }

    private double gets(RamTier tier, int among) throws Exception {
        SplittableRandom random = new SplittableRandom(3);
        int rounds = 4_000_000;
        long sum = 0;
        long started = cpuNanos();
        for (int i = 0; i < rounds; i++) {
            sum += view(tier, DATASET.with(random.nextInt(among))).remaining();
        }
        double nanos = cpuNanos() - started;
        if (sum != (long) rounds * length) {
            throw new IllegalStateException("a wrong length");
        }
        return nanos / rounds;
    }

    private static double misses(RamTier tier) throws Exception {
        int rounds = 4_000_000;
        long found = 0;
        long started = cpuNanos();
        for (int i = 0; i < rounds; i++) {
            found += ((Callable<?>) tier.get(DATASET.with(-1L - i))).call() == null ? 0 : 1;
        }
        double nanos = cpuNanos() - started;
        if (found != 0) {
            throw new IllegalStateException("a hit for a key that nobody put");
        }
        return nanos / rounds;
    }

    /** Of this thread, so that neighbours on a busy machine count less. */
    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static long status(String field) throws IOException {
        return field(Path.of("/proc/self/status"), field);
    }

    private static long privateDirty() throws IOException {
        return field(Path.of("/proc/self/smaps_rollup"), "Private_Dirty:");
    }

    private static long written() throws IOException {
        return field(Path.of("/proc/self/io"), "write_bytes:");
    }

    private static long field(Path file, String name) throws IOException {
        List<String> lines = Files.readAllLines(file);
        return lines.stream()
                .filter(line -> line.startsWith(name))
                .map(line -> line.replaceAll("[^0-9]", ""))
                .mapToLong(Long::parseLong)
                .findFirst()
                .orElseThrow();
    }
}

package io.penstock.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Persisted caches read in shuffled order into batches by one thread, page-cached: the Chronicle tier, and those that a
 * trainer might use instead. All run in turn, over the same values.
 */
public final class PersistedPeers implements Benchmark {

    private static final int WARM_UP = 2;

    private record Work(int samples, int sampleBytes, int batch) {
        @Override
        public String toString() {
            return "%,d x %,d B".formatted(samples, sampleBytes);
        }
    }

    @Override
    public String name() {
        return "peers";
    }

    @Override
    public String about() {
        return "persisted caches of others, read as ours is";
    }

    /** LMDB reaches into the JDK's buffers. */
    @Override
    public List<String> flags() {
        return List.of("--add-opens=java.base/java.nio=ALL-UNNAMED", "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED");
    }

    @Override
    public List<Finding> run(Effort effort) {
        List<Finding> findings = new ArrayList<>();
        findings.addAll(measure(new Work(effort.of(4_000, 1_000), 150_528, 64), effort));
        findings.addAll(measure(new Work(effort.of(200_000, 50_000), 1024, 256), effort));
        return findings;
    }

    private List<Finding> measure(Work work, Effort effort) {
        Path directory = temporaryDirectory();
        List<SampleStore> stores = new ArrayList<>();
        try {
            MadeRecords records = new MadeRecords(work.samples, work.sampleBytes);
            long bytes = (long) work.samples * (work.sampleBytes + 512);
            List<Function<Path, SampleStore>> kinds = List.of(
                    at -> new MappedFileStore(at, work.samples, work.sampleBytes),
                    at -> new ChronicleStore(at, 2 * bytes),
                    PlainFilesStore::new,
                    at -> new LmdbStore(at, 4 * bytes),
                    RocksStore::new,
                    at -> new EhcacheStore(at, 2 * bytes));
            List<Double> fills = new ArrayList<>();
            for (int i = 0; i < kinds.size(); i++) {
                SampleStore store = kinds.get(i).apply(directory.resolve(Integer.toString(i)));
                stores.add(store);
                effort.progress().accept("peers: filling %s with %s".formatted(store.name(), work));
                fills.add(fill(store, records, work));
            }
            ByteBuffer batch = ByteBuffer.allocateDirect(work.batch * work.sampleBytes);
            int[][] order = {{}};
            Rounds rounds = Rounds.of(
                    WARM_UP,
                    effort.of(9, 5),
                    round -> {
                        effort.progress().accept("peers: %s, round %d".formatted(work, round + 1));
                        order[0] = shuffled(work.samples, round);
                    },
                    stores.stream()
                            .map(store -> (DoubleSupplier) () -> read(store, order[0], batch, work))
                            .toList());
            return findings(work, stores, fills, rounds);
        } finally {
            stores.forEach(SampleStore::close);
            delete(directory);
        }
    }

    private List<Finding> findings(Work work, List<SampleStore> stores, List<Double> fills, Rounds rounds) {
        List<Finding> findings = new ArrayList<>();
        for (int i = 0; i < stores.size(); i++) {
            String what = work + ", " + stores.get(i).name();
            findings.add(Finding.of(name(), what + ": a read", rounds.median(i) * 1e6, "us"));
            findings.add(Finding.of(name(), what + ": a write", fills.get(i) * 1e6, "us"));
            if (i != 1) {
                findings.add(Finding.of(name(), what + ": its time over ours", rounds.medianRatio(i, 1), "x"));
            }
        }
        return findings;
    }

    /** Seconds a sample. */
    private static double fill(SampleStore store, MadeRecords records, Work work) {
        ByteBuffer value = ByteBuffer.allocateDirect(work.sampleBytes);
        long nanos = 0;
        for (int i = 0; i < work.samples; i++) {
            records.at(i).copyTo(value, 0);
            value.clear();
            long started = System.nanoTime();
            store.put(i, value);
            nanos += System.nanoTime() - started;
        }
        long started = System.nanoTime();
        store.settle();
        return (nanos + System.nanoTime() - started) / 1e9 / work.samples;
    }

    /** Seconds a sample; looks at each that it is the right one. */
    private static double read(SampleStore store, int[] order, ByteBuffer batch, Work work) {
        int at = 0;
        long started = System.nanoTime();
        for (int index : order) {
            store.read(index, batch, at);
            if (Integer.reverseBytes(batch.getInt(at)) != index) {
                throw new IllegalStateException("%s gives something else for %d".formatted(store.name(), index));
            }
            at += work.sampleBytes;
            if (at == batch.capacity()) {
                at = 0;
            }
        }
        return (System.nanoTime() - started) / 1e9 / order.length;
    }

    private static int[] shuffled(int samples, int seed) {
        List<Integer> order =
                new ArrayList<>(IntStream.range(0, samples).boxed().toList());
        Collections.shuffle(order, new Random(seed));
        return order.stream().mapToInt(Integer::intValue).toArray();
    }

    private static Path temporaryDirectory() {
        try {
            return Files.createTempDirectory("penstock-peers");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path directory) {
        try {
            Files.walkFileTree(directory, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.delete(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException e) throws IOException {
                    Files.delete(visited);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

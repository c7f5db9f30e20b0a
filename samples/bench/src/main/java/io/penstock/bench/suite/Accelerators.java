package io.penstock.bench.suite;

import io.penstock.array.NpzRows;
import io.penstock.batch.Batch;
import io.penstock.batch.Batches;
import io.penstock.bench.Bench;
import io.penstock.bench.ScratchFolder;
import io.penstock.bench.Seconds;
import io.penstock.cache.ram.RamTier;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.pipeline.Dataset;
import io.penstock.shard.TfRecords;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import io.penstock.write.Npy;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * How many emulated accelerators this machine keeps busy, with the shapes of MLPerf Storage: each takes a batch and
 * sleeps as long as an H100 computes. Its use is the time that it should sleep over the time since its fourth batch: the
 * memory of the three before is new.
 *
 * <p>Sizes, times and least shares are those of the
 * <a href="https://github.com/mlcommons/storage/tree/main/configs/dlio/workload">workloads of MLPerf Storage 2.0</a>,
 * without the spread of U-Net3D's sizes, and with its batch of 7 taken one by one. Its rules ask for files of five times
 * the memory; here they are in the page cache, so no disk takes part.
 */
public final class Accelerators {

    private static final Schema<Tensor> SCHEMA = Schema.tensor("sample");
    private static final long BUDGET = 4L << 30;
    private static final int MOST = 256;
    private static final int SLOTS = 3;

    /** A second of a trial at least, as batches that are ready when it begins cost it nothing. */
    private static final int STEPS = 13;

    private static final long BATCHES_GIB = 12;

    /** Flags of the JVM: its standard has room for the batches of fewer accelerators than two cores keep busy. */
    public static final List<String> ROOM = List.of("-XX:MaxDirectMemorySize=%dg".formatted(BATCHES_GIB + 1));

    private static final List<Workload> WORKLOADS = List.of(
            new Workload("ResNet-50", 114_660, 5_000, 400, 0.224, 0.9),
            new Workload("U-Net3D", 146_600_628, 6, 1, 0.323 / 7, 0.9),
            new Workload("CosmoFlow", 2_828_486, 200, 1, 0.0035, 0.7));

    /**
     * What accelerators work on.
     * @param bytes   of a sample
     * @param samples in the files, of which the epochs are
     * @param batch   samples a step
     * @param seconds of a step
     * @param share   of the time that an accelerator must be used
     */
    private record Workload(String name, int bytes, int samples, int batch, double seconds, double share) {

        /** How many have room for their batches. */
        int room() {
            return (int) Math.min(MOST, (BATCHES_GIB << 30) / ((long) SLOTS * batch * bytes));
        }

        /** The most accelerators that are used enough, or that have room. */
        int most(Dataset<Tensor> data, double trial) {
            int fed = 0;
            int starved = 1;
            while (starved <= room() && use(starved, data, trial) >= share) {
                fed = starved;
                starved = Math.min(2 * starved, room() + 1);
            }
            while (starved - fed > 1) {
                int between = (fed + starved) / 2;
                if (use(between, data, trial) >= share) {
                    fed = between;
                } else {
                    starved = between;
                }
            }
            return fed;
        }

        /** The mean use of this number of accelerators, each a rank with a thread. */
        double use(int accelerators, Dataset<Tensor> data, double trial) {
            long steps = Math.round(trial * Math.max(STEPS, 1 / seconds));
            Sampler order = Sampler.shuffled(1).epochs((steps + SLOTS) * batch * accelerators / samples + 2);
            Scheduler threads = Schedulers.newBoundedElastic(accelerators, accelerators, "accelerator");
            try {
                return Flux.range(0, accelerators)
                        .flatMap(rank -> use(steps, data, order.shard(Shard.of(rank, accelerators)), threads), MOST)
                        .reduce(0.0, Double::sum)
                        .map(sum -> sum / accelerators)
                        .blockOptional()
                        .orElseThrow();
            } finally {
                threads.dispose();
            }
        }

        private Mono<Double> use(long steps, Dataset<Tensor> data, Sampler order, Scheduler thread) {
            long[] began = new long[1];
            int[] taken = new int[1];
            return data.stream(order)
                    .transform(Batches.of(batch, SCHEMA).slots(SLOTS).consumeOn(thread))
                    .take(SLOTS + steps)
                    .doOnNext(step -> {
                        began[0] = taken[0]++ <= SLOTS ? System.nanoTime() : began[0];
                        compute(step);
                    })
                    .then(Mono.fromSupplier(() -> steps * seconds / Seconds.since(began[0])));
        }

        private void compute(Batch taken) {
            try (taken) {
                long until = System.nanoTime() + (long) (seconds * TimeUnit.SECONDS.toNanos(1));
                for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
            }
        }
    }

    private Accelerators() {}

    public static void run(Bench bench) {
        WORKLOADS.forEach(workload -> ScratchFolder.with(folder -> measure(workload, folder, bench)));
    }

    private static void measure(Workload workload, Path folder, Bench bench) throws IOException {
        double trial = bench.choose(3.0, 1.0);
        bench.progress("mlperf: writing the files of %s", workload.name);
        try (Opened opened = open(workload, folder);
                RamTier tier = RamTier.ofBytes(BUDGET)) {
            Dataset<Tensor> cached = opened.data.cache(tier, SCHEMA);
            bench.progress("mlperf: %s from files", workload.name);
            workload.use(1, opened.data, 5 * trial); // compiles
            int cold = workload.most(opened.data, trial);
            bench.progress("mlperf: %s from RAM", workload.name);
            workload.use(1, cached, 5 * trial);
            int warm = workload.most(cached, trial);
            String used = "%s, accelerators at %.0f %% or more: ".formatted(workload.name, 100 * workload.share);
            bench.found(used + "files in the page cache", cold, "");
            bench.found(used + "RAM cache, warm", warm, "");
            bench.found(workload.name + ": an accelerator reads", gigabytes(workload), "GB/s");
        }
    }

    private static double gigabytes(Workload workload) {
        return workload.bytes * 1e-9 * workload.batch / workload.seconds;
    }

    private record Opened(Dataset<Tensor> data, Runnable closing) implements AutoCloseable {
        @Override
        public void close() {
            closing.run();
        }
    }

    private static Opened open(Workload workload, Path folder) throws IOException {
        if (workload.batch > 1 || workload.bytes < 1 << 25) {
            Path file = folder.resolve("made.tfrecord");
            TfRecordRows.write(file, workload.samples, workload.bytes);
            TfRecords records = TfRecords.open(file, folder.resolve("index"));
            return new Opened(records, records::close);
        }
        List<NpzRows> files = new ArrayList<>();
        for (int i = 0; i < workload.samples; i++) {
            files.add(NpzRows.open(archive(folder.resolve(i + ".npz"), workload.bytes), List.of()));
        }
        return new Opened(
                Dataset.concat(files).map("volume", row -> row.tensor("x")), () -> files.forEach(NpzRows::close));
    }

    /** An archive as numpy.savez writes it: one array x of one row, {@code u1[1, bytes]}, not compressed. */
    private static Path archive(Path file, int bytes) throws IOException {
        byte[] array = Npy.encode(Tensor.ofBytes(new byte[bytes], 1, bytes)).toByteArray();
        CRC32 crc = new CRC32();
        crc.update(array);
        ZipEntry entry = new ZipEntry("x.npy");
        entry.setMethod(ZipEntry.STORED);
        entry.setSize(array.length);
        entry.setCrc(crc.getValue());
        try (OutputStream out = Files.newOutputStream(file);
                ZipOutputStream zip = new ZipOutputStream(out)) {
            zip.putNextEntry(entry);
            zip.write(array);
        }
        return file;
    }
}

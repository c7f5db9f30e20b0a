package io.penstock.bench.suite;

import io.penstock.batch.Batch;
import io.penstock.batch.Batches;
import io.penstock.bench.BenchOptions;
import io.penstock.bench.Benchmark;
import io.penstock.bench.Garbage;
import io.penstock.bench.ProcessorTime;
import io.penstock.bench.Result;
import io.penstock.bench.Rounds;
import io.penstock.bench.ScratchFolder;
import io.penstock.fault.StoreException;
import io.penstock.order.Sampler;
import io.penstock.table.Table;
import io.penstock.table.TableOptions;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Rows of Parquet files in the page cache, shuffled by windows of a row group, from opening the file to closed batches.
 * They are compared with a bare loop on one thread that decodes one row group after the other, in order.
 */
public final class ParquetRows implements Benchmark {

    private static final double MUST_REACH = 80;
    private static final int BATCH = 256;
    private static final int OPEN_WINDOWS = 16;
    private static final double MIB = 1 << 20;

    @Override
    public String name() {
        return "tables";
    }

    @Override
    public List<String> flags() {
        return Garbage.FLAGS;
    }

    @Override
    public List<Result> run(BenchOptions options) {
        List<MadeTable> tables = List.of(
                new MadeTable(options.choose(10_000_000, 500_000), options.choose(50_000, 5_000), 1, 0),
                new MadeTable(options.choose(10_000_000, 100_000), options.choose(10_000, 1_000), 39, 0),
                new MadeTable(options.choose(500_000, 50_000), options.choose(2_500, 500), 1, 1024));
        List<Result> results = new ArrayList<>();
        for (MadeTable table : tables) {
            results.addAll(measure(table, options));
        }
        return results;
    }

    private static List<Result> measure(MadeTable table, BenchOptions options) {
        String what = "%,d rows of %d columns, %,d B"
                .formatted(table.rows(), table.columns().size(), table.rowBytes());
        options.progress().accept("tables: writing " + what);
        return ScratchFolder.with(folder -> {
            Path file = folder.resolve("made.parquet");
            BareTable bare = new BareTable(table, file, table.write(file));
            Rounds rounds = options.rounds(
                    "tables: " + what,
                    2,
                    options.choose(7, 5),
                    List.of(() -> elapsed(() -> epoch(file, table)), () -> elapsed(() -> read(bare))));
            Rounds busy = options.rounds(
                    "tables: processor time, " + what,
                    1,
                    options.choose(7, 5),
                    List.of(
                            () -> ProcessorTime.seconds(() -> epoch(file, table)),
                            () -> ProcessorTime.seconds(() -> read(bare))));
            return List.of(
                    Result.of(what + ": pipeline, a row", 1e9 * rounds.median(0) / table.rows(), "ns"),
                    Result.of(what + ": bare loop, a row", 1e9 * rounds.median(1) / table.rows(), "ns"),
                    Result.of(what + ": of the bare loop", 100 * rounds.medianRatio(1, 0), "%")
                            .atLeast(0, MUST_REACH),
                    Result.of(what + ": processor time of the bare loop's", busy.medianRatio(0, 1), "×"),
                    Result.of(what + ": all rows", (double) table.rows() * table.rowBytes() / MIB, "MiB"),
                    Result.of(what + ": heap within the epoch", heap(file, table) / MIB, "MiB"));
        });
    }

    private static double elapsed(Runnable work) {
        long started = System.nanoTime();
        work.run();
        return (System.nanoTime() - started) / 1e9;
    }

    /** With room for the open windows, for the next ones, and a little that they take besides their rows. */
    private static Table open(Path file, MadeTable table) {
        long groupBytes = (long) table.groupRows() * (table.rowBytes() + Integer.BYTES);
        return Table.openParquet(file, TableOptions.standard().cacheBytes(OPEN_WINDOWS * 9 / 4 * groupBytes));
    }

    private static void epoch(Path file, MadeTable made) {
        try (Table table = open(file, made)) {
            table.stream(Sampler.windowed(42, table.groupRows(), OPEN_WINDOWS))
                    .transform(Batches.of(BATCH, table.schema()))
                    .doOnNext(Batch::close)
                    .blockLast();
        }
    }

    private static void read(BareTable bare) {
        try {
            bare.read(BATCH);
        } catch (IOException e) {
            throw new StoreException("cannot read a benchmark's data: " + e.getMessage(), e);
        }
    }

    /** What an epoch takes of the heap, collected four times on its way: the most of them. */
    private static double heap(Path file, MadeTable made) {
        Garbage.clear();
        long before = used();
        AtomicLong most = new AtomicLong();
        long batches = made.rows() / BATCH;
        try (Table table = open(file, made)) {
            table.stream(Sampler.windowed(42, table.groupRows(), OPEN_WINDOWS))
                    .transform(Batches.of(BATCH, table.schema()))
                    .doOnNext(Batch::close)
                    .index()
                    .filter(batch -> batch.getT1() % (batches / 5) == batches / 10)
                    .doOnNext(batch -> {
                        System.gc();
                        most.accumulateAndGet(used(), Math::max);
                    })
                    .blockLast();
        }
        return most.get() - before;
    }

    private static long used() {
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}

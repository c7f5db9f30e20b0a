package io.penstock.bench.suite;

import io.penstock.bench.BenchOptions;
import io.penstock.bench.Benchmark;
import io.penstock.bench.Result;
import io.penstock.bench.Rounds;
import io.penstock.bench.ScratchFolder;
import io.penstock.fault.StoreException;
import io.penstock.order.Draws;
import io.penstock.order.Sampler;
import io.penstock.store.FileStore;
import io.penstock.zarr.ZarrArray;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * Rows of compressed Zarr chunks, from opening the store to a direct buffer, against a bare loop on one thread. The
 * loop reads and decompresses each chunk at its first row, and copies the rows in the same order.
 */
public final class ZarrRows implements Benchmark {

    private static final double MUST_REACH = 80;
    private static final int BATCH = 64;

    private record Work(String what, int rows, int rowFloats, int chunkRows, boolean shuffled) {
        int rowBytes() {
            return rowFloats * Float.BYTES;
        }

        Sampler sampler() {
            return shuffled ? Sampler.shuffled(42) : Sampler.sequential();
        }
    }

    @Override
    public String name() {
        return "zarr";
    }

    @Override
    public List<Result> run(BenchOptions options) {
        List<Work> works = List.of(
                new Work("a chunk a row, in order", options.choose(600, 200), 37_632, 1, false),
                new Work("64 rows of 8 KiB a chunk, shuffled", options.choose(9_600, 3_200), 2048, 64, true));
        List<Result> results = new ArrayList<>();
        for (Work work : works) {
            for (MadeZarr codec : MadeZarr.values()) {
                results.addAll(measure(work, codec, options));
            }
        }
        return results;
    }

    private List<Result> measure(Work work, MadeZarr codec, BenchOptions options) {
        String what = codec.name().toLowerCase(Locale.ROOT).replace('_', '-') + ", " + work.what;
        options.progress().accept("zarr: writing " + what);
        return ScratchFolder.with(folder -> {
            try (FileStore store = FileStore.open(folder)) {
                codec.write(folder, work.rows, work.rowFloats, work.chunkRows);
                Rounds rounds = options.rounds(
                        "zarr: " + what,
                        2,
                        options.choose(9, 5),
                        List.of(() -> streamSeconds(store, work), () -> bareSeconds(folder, codec, work)));
                double bytes = (double) work.rows * work.rowBytes();
                return List.of(
                        Result.of(what + ": pipeline", bytes / rounds.median(0) / 1e9, "GB/s"),
                        Result.of(what + ": bare loop", bytes / rounds.median(1) / 1e9, "GB/s"),
                        Result.of(what + ": of the bare loop", 100 * rounds.medianRatio(1, 0), "%")
                                .atLeast(0, MUST_REACH));
            }
        });
    }

    private static double streamSeconds(FileStore store, Work work) {
        ByteBuffer batch = ByteBuffer.allocateDirect(BATCH * work.rowBytes());
        long started = System.nanoTime();
        ZarrArray array = Objects.requireNonNull(ZarrArray.open(store, "").block());
        array.rows().stream(work.sampler())
                .doOnNext(sample -> {
                    int slot = (int) (sample.draw().next().offset() % BATCH);
                    sample.value().copyTo(batch, slot * work.rowBytes());
                })
                .blockLast();
        return (System.nanoTime() - started) / 1e9;
    }

    private static double bareSeconds(Path folder, MadeZarr codec, Work work) {
        Draws draws = work.sampler().draws(work.rows);
        int[] order = new int[work.rows];
        for (int i = 0; i < order.length; i++) {
            order[i] = (int) draws.at(i).index();
        }
        ByteBuffer batch = ByteBuffer.allocateDirect(BATCH * work.rowBytes());
        long started = System.nanoTime();
        byte[][] chunks = new byte[work.rows / work.chunkRows][];
        for (int i = 0; i < order.length; i++) {
            int chunk = order[i] / work.chunkRows;
            if (chunks[chunk] == null) {
                if (!work.shuffled && chunk > 0) {
                    chunks[chunk - 1] = new byte[0]; // read to its end
                }
                chunks[chunk] = new byte[work.chunkRows * work.rowBytes()];
                try {
                    codec.decode(Files.readAllBytes(folder.resolve(chunk + ".0")), chunks[chunk]);
                } catch (IOException e) {
                    throw new StoreException("cannot read a benchmark's data: " + e.getMessage(), e);
                }
            }
            int from = order[i] % work.chunkRows * work.rowBytes();
            batch.put(i % BATCH * work.rowBytes(), chunks[chunk], from, work.rowBytes());
        }
        return (System.nanoTime() - started) / 1e9;
    }
}

package io.penstock.hdf5;

import com.sun.management.OperatingSystemMXBean;
import io.penstock.order.Sampler;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * Processor time for a row, here and in h5py, in turn: {@code Hdf5Figures PYTHON}. Rows of 3 KiB to 147 KiB, plain and in
 * chunks of 16 with gzip and shuffle or with lzf, in their order. h5py's cache holds no chunk of 16 large rows of floats.
 */
final class Hdf5Figures {

    private static final int ROUNDS = 3;
    private static final int TURNS = 20;
    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private static final String WRITE = """
            import h5py, numpy as np, sys
            rng = np.random.default_rng(1)
            with h5py.File(sys.argv[1], "w") as file:
                for name, n, side in (("small", 8192, 32), ("large", 1024, 224)):
                    images = (rng.integers(0, 64, (n, side, side, 3)) * 3).astype("u1")
                    file[name] = images
                    file.create_dataset(name + "-chunks", data=images, chunks=(16, side, side, 3))
                    file.create_dataset(name + "-gzip", data=images, chunks=(16, side, side, 3), compression="gzip", shuffle=True)
                    floats = images[: n // 4].astype("f4")
                    file.create_dataset(name + "-lzf", data=floats, chunks=(16, side, side, 3), compression="lzf")
            """;

    private static final String READ = """
            import h5py, sys, time
            with h5py.File(sys.argv[1], "r") as file:
                rows = file[sys.argv[2]]
                for turn in range(2):
                    started = time.process_time()
                    for i in range(len(rows)):
                        rows[i]
                    spent = (time.process_time() - started) / len(rows)
                print(int(spent * 1e9))
            """;

    private Hdf5Figures() {}

    private static String python(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        if (process.waitFor() != 0) {
            throw new IllegalStateException(said);
        }
        return said;
    }

    private static long epoch(Hdf5Rows rows) {
        long before = PROCESS.getProcessCpuTime();
        rows.stream(Sampler.sequential()).blockLast(Duration.ofMinutes(5));
        return (PROCESS.getProcessCpuTime() - before) / rows.size();
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("hdf5-figures-");
        Path file = folder.resolve("images.h5");
        python(arguments[0], "-c", WRITE, file.toString());
        for (String name :
                List.of("small", "small-chunks", "small-gzip", "small-lzf", "large", "large-chunks", "large-gzip")) {
            double[] ours = new double[ROUNDS];
            double[] theirs = new double[ROUNDS];
            for (int round = 0; round < ROUNDS; round++) {
                try (Hdf5Rows rows = Hdf5Rows.open(file, List.of(name))) {
                    epoch(rows); // the cache of chunks is filled, and thrown away with the rows
                }
                long spent = 0;
                for (int turn = 0; turn < TURNS; turn++) {
                    try (Hdf5Rows rows = Hdf5Rows.open(file, List.of(name))) {
                        spent += epoch(rows);
                    }
                }
                ours[round] = spent / 1e3 / TURNS;
                theirs[round] = Double.parseDouble(python(arguments[0], "-c", READ, file.toString(), name)) / 1e3;
            }
            Arrays.sort(ours);
            Arrays.sort(theirs);
            System.out.printf(
                    "%-12s ours %.1f µs a row (%.1f to %.1f), h5py %.1f (%.1f to %.1f): %.2f of its rows%n",
                    name,
                    ours[ROUNDS / 2],
                    ours[0],
                    ours[ROUNDS - 1],
                    theirs[ROUNDS / 2],
                    theirs[0],
                    theirs[ROUNDS - 1],
                    theirs[ROUNDS / 2] / ours[ROUNDS / 2]);
        }
        Files.delete(file);
        Files.delete(folder);
    }
}

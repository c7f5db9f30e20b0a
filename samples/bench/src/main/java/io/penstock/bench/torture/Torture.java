package io.penstock.bench.torture;

import io.penstock.bench.ChildProcess;
import io.penstock.bench.ScratchFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * Jobs of several processes, one after another, whose processes are killed, stopped and short of memory, and whose caches
 * are damaged, filled and poisoned, all at random.
 *
 * <p>Every batch tells a digest of its samples' indices and bytes. Digests add up, so the sum over all ranks and restarts
 * of an epoch equals that of an undisturbed run exactly if every sample came once, with the right bytes.
 */
public final class Torture {

    private final List<String> program;
    private final Duration time;
    private final long seed;
    private final Consumer<String> progress;

    /**
     * @param program  the command that runs the command line, without arguments
     * @param time     no job begins after that
     * @param seed     of the jobs and of what is done to them; the processes' own timing stays random
     * @param progress told what has been done, now and then
     */
    public Torture(List<String> program, Duration time, long seed, Consumer<String> progress) {
        this.program = List.copyOf(program);
        this.time = time;
        this.seed = seed;
        this.progress = progress;
    }

    /**
     * Runs jobs until the time is over; what failed is kept in {@code folder}.
     * @throws UncheckedIOException if a job cannot be prepared
     */
    public Toll run(Path folder) {
        Toll toll = new Toll();
        long began = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        boolean withRedis = ChildProcess.hasRedis();
        try {
            while (toll.count(Toll.Of.JOBS) == 0 || System.nanoTime() - began < time.toNanos()) {
                long jobSeed = random.nextLong();
                Path place = Files.createDirectories(folder.resolve("job-" + toll.count(Toll.Of.JOBS)));
                boolean sound = new TorturedJob(program, place, jobSeed, withRedis, toll).run();
                if (sound) {
                    ScratchFolder.delete(place);
                }
                toll.add(Toll.Of.JOBS, 1);
                toll.add(Toll.Of.UNSOUND_JOBS, sound ? 0 : 1);
                progress.accept(toll.line());
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run a job in %s: %s".formatted(folder, e.getMessage()), e);
        }
        return toll;
    }
}

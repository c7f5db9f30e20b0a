package io.penstock.bench.torture;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.bench.ScratchFolder;
import io.penstock.cli.CliProcess;
import io.penstock.cli.Main;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Jobs of several processes, one after another, whose processes are killed, stopped and short of memory, and whose
 * caches are damaged, filled and poisoned, all at random.
 *
 * <p>Every batch tells a digest of its samples' indices and bytes. Digests add up, so the sum over all ranks and
 * restarts of an epoch equals that of an undisturbed run exactly if every sample came once, with the right bytes.
 */
class TortureTest {

    private static final String MINUTES = "penstock.torture.minutes";

    /** The seed decides the jobs and their faults. The folders of failed jobs are kept. */
    @Test
    @EnabledIfSystemProperty(named = MINUTES, matches = "\\d+")
    void jobs_harmedAtRandom_deliverEverySampleOnceWithTheRightBytes() throws IOException {
        long seed = Long.getLong("penstock.torture.seed", new SplittableRandom().nextLong());
        Path folder = Files.createTempDirectory("penstock-torture-");
        List<String> program = new ArrayList<>(CliProcess.command());
        program.add(Main.class.getName());
        SplittableRandom random = new SplittableRandom(seed);
        Toll toll = new Toll();
        List<Path> failed = new ArrayList<>();
        long began = System.nanoTime();
        long nanos = TimeUnit.MINUTES.toNanos(Long.getLong(MINUTES));
        for (int job = 0; job == 0 || System.nanoTime() - began < nanos; job++) {
            Path place = Files.createDirectories(folder.resolve("job-" + job));
            if (new TorturedJob(program, place, random.nextLong(), toll).run()) {
                ScratchFolder.delete(place);
            } else {
                failed.add(place);
            }
            toll.add("jobs", 1);
        }
        assertThat(failed).as("jobs with seed %d: %s", seed, toll.line()).isEmpty();
        ScratchFolder.delete(folder);
    }
}

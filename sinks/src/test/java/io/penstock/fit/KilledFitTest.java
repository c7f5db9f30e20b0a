package io.penstock.fit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.Indexing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;

/** A pass that SIGKILL ends is continued by the next process. */
@Tag("endurance")
class KilledFitTest {

    /** A pass keeps what it has once a second, and no file takes less than {@link KilledFit#PAUSE}. */
    private static final int LOST = (int) Duration.ofSeconds(1).dividedBy(KilledFit.PAUSE) + 5;

    private static final Duration LIMIT = Duration.ofMinutes(5);

    @TempDir
    Path folder;

    private Process start(String log, int waitsAt) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        KilledFit.class.getName(),
                        folder.toString(),
                        log,
                        Integer.toString(waitsAt))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve(log + ".out").toFile())
                .start();
    }

    private Set<String> read(String log) throws IOException {
        Path file = folder.resolve(log);
        return Files.exists(file) ? new HashSet<>(Files.readAllLines(file)) : Set.of();
    }

    private void awaitFile(String log, int file) {
        Flux.interval(Duration.ofMillis(50))
                .concatMap(tick -> Flux.defer(() -> {
                    try {
                        return Flux.just(read(log).contains(Integer.toString(file)));
                    } catch (IOException e) {
                        return Flux.error(e);
                    }
                }))
                .takeUntil(found -> found)
                .blockLast(LIMIT);
    }

    @Test
    void fit_killedTwice_isTheSameAndReadsWhatWasMissing() throws Exception {
        List<Set<String>> logs = new ArrayList<>();
        for (int waitsAt : new int[] {120, 240}) {
            Process killed = start("log" + waitsAt, waitsAt);
            try {
                awaitFile("log" + waitsAt, waitsAt - 1);
            } finally {
                killed.destroyForcibly().waitFor();
            }
            logs.add(read("log" + waitsAt));
        }
        Process last = start("last", -1);
        assertThat(last.waitFor()).isZero();
        logs.add(read("last"));

        Set<String> all = new HashSet<>();
        logs.forEach(all::addAll);
        assertThat(all).hasSize(KilledFit.FILES);
        assertThat(logs.stream().mapToInt(Set::size).sum()).isLessThan(KilledFit.FILES + 2 * LOST);
        Path whole = folder.resolve("whole.json");
        KilledFit.fit(new KilledFit.Numbers(folder.resolve("whole"), -1), Indexing.inMemory())
                .write(whole);
        assertThat(folder.resolve("fit.json")).hasSameTextualContentAs(whole);
    }
}

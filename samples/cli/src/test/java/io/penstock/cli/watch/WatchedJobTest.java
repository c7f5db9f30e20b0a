package io.penstock.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.stream.Run;
import io.penstock.cli.stream.StreamFlags;
import io.penstock.cli.watch.LockstepJob.Input;
import io.penstock.page.PageServer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;

@Tag("repeated")
class WatchedJobTest {

    private static final int SLOW_RANKS =
            Integer.getInteger("penstock.slow", Boolean.getBoolean("penstock.endurance") ? 8 : 1);

    /** Until a window of the job lets a rank be named, which needs some steps of it. */
    private static JobReport read(WatchedJob job) {
        return Flux.interval(Duration.ZERO, Duration.ofMillis(300))
                .onBackpressureDrop()
                .concatMap(tick -> job.read(), 1)
                .skip(4)
                .take(20)
                .takeUntil(report -> report.laggard().rank() != null)
                .blockLast();
    }

    /** Each rank in turn has a slow source, or a slow stage. */
    static Stream<Arguments> slowInputs() {
        return IntStream.range(0, SLOW_RANKS)
                .mapToObj(i -> i / 2 % 2 == 0
                        ? Arguments.of((i + i / 4) % 4, new Input(200, 0), "its source takes")
                        : Arguments.of((i + i / 4) % 4, new Input(2, 40_000), "its stage \"work\" takes"));
    }

    /** More of them: {@code -Dpenstock.slow=20}. */
    @ParameterizedTest
    @MethodSource("slowInputs")
    void theRankWithTheSlowInput_isNamedWithTheReason(int slow, Input input, String reason) {
        try (LockstepJob ranks = new LockstepJob(4, rank -> rank == slow ? input : new Input(2, 0))) {
            JobReport report = read(new WatchedJob(ranks.addresses()));

            assertThat(report.laggard().rank()).as(report.json()).isEqualTo("rank " + slow);
            assertThat(report.laggard().words()).contains("rank " + slow + " holds the others up", reason);
            assertThat(report.isOver()).isFalse();
        }
    }

    /** A page of serve says that it is alone, as this one does. */
    @Test
    void aServer_isNamedByItsAddress(@TempDir Path folder) throws IOException {
        String flags = "--source records:%s,8 --metrics-port 0"
                .formatted(Files.write(folder.resolve("records"), new byte[80]));
        try (Run<?> server = StreamFlags.parse(flags.split(" ")).open()) {
            URI page = URI.create(Objects.requireNonNull(server.metrics()));

            JobReport report = new WatchedJob(List.of(page)).read().block();

            assertThat(report.lines()).extracting(JobReport.Line::name).containsExactly(page.getAuthority());
        }
    }

    @Test
    void allMeters_areOneText() {
        try (LockstepJob ranks = new LockstepJob(2, rank -> new Input(1, 0))) {
            WatchedJob job = new WatchedJob(ranks.addresses());
            job.read().block();

            Exposition all = Exposition.parse(job.meters());

            assertThat(all.points("penstock_rank").map(point -> point.label("instance")))
                    .containsExactlyElementsOf(
                            ranks.addresses().stream().map(URI::getAuthority).toList());
        }
    }

    @Test
    void aRankThatIsGone_isNamed_andAJobWhoseRanksAllAreIsOver() {
        WatchedJob job;
        try (LockstepJob ranks = new LockstepJob(1, rank -> new Input(1, 0))) {
            URI address = URI.create("http://127.0.0.1:1/metrics"); // where nothing listens
            job = new WatchedJob(List.of(ranks.addresses().get(0), address));

            JobReport report = job.read().block();

            assertThat(report.laggard())
                    .isEqualTo(new Laggard(
                            address.getAuthority(), address.getAuthority() + " does not answer (connection refused)"));
            assertThat(report.isOver()).isFalse();
            job = new WatchedJob(ranks.addresses());
            assertThat(job.read().block().isOver()).isFalse();
        }
        assertThat(job.read().block().isOver()).isTrue();
    }

    @Test
    void aPageThatIsNone_isAFailureThatSaysSo() {
        try (LockstepJob ranks = new LockstepJob(1, rank -> new Input(1, 0));
                PageServer page = PageServer.open(0, "watch", new WatchedJob(ranks.addresses()), Map.of(), Map.of())) {
            WatchedJob job =
                    new WatchedJob(List.of(page.address(), page.address().resolve("absent")));

            assertThat(job.read().block().lines().stream().map(JobReport.Line::failure))
                    .containsExactly("no meters in Prometheus' format: \"<!doctype html>\"", "HTTP status 404");
        }
    }
}

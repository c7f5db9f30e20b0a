package io.penstock.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.serve.ServedPlan;
import io.penstock.cli.stream.Run;
import io.penstock.cli.stream.StreamFlags;
import io.penstock.pictures.PictureFolder;
import io.penstock.serve.BatchServer;
import io.penstock.serve.ServerPlan;
import io.penstock.serve.client.RemoteBatches;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;

/** Two servers that share the batches of one consumer. */
class WatchedServersTest {

    private static final Duration SOON = Duration.ofMinutes(2);

    @TempDir
    private Path folder;

    private Run<?> plan(String more) {
        String flags =
                "--source images:%s --resize 96 --batch 8 --epochs 1000000 --metrics-port 0 %s".formatted(folder, more);
        return StreamFlags.parse(flags.strip().split(" ")).open();
    }

    private static URI page(Run<?> plan) {
        return URI.create(Objects.requireNonNull(plan.metrics()));
    }

    @Test
    void theServerWithoutACache_isNamedOnceTheOtherHasOne() {
        PictureFolder.write(folder, 64).blockLast();
        try (Run<?> warm = plan("--cache-ram 64MiB");
                Run<?> cold = plan("");
                BatchServer first = ServerPlan.of(new ServedPlan<>(warm, 1)).start();
                BatchServer second = ServerPlan.of(new ServedPlan<>(cold, 1)).start()) {
            Disposable consumer = RemoteBatches.of(List.of(first.address(), second.address())).stream()
                    .subscribe();
            WatchedJob job = new WatchedJob(List.of(page(warm), page(cold)));

            // until the cache has filled, either may be the slower one
            String reason = "; its cache misses 100 % of its samples";
            JobReport report = Flux.interval(Duration.ZERO, Duration.ofMillis(300))
                    .onBackpressureDrop()
                    .concatMap(tick -> job.read(), 1)
                    .takeUntil(read -> read.laggard().words().contains(reason))
                    .blockLast(SOON);
            consumer.dispose();

            assertThat(report.laggard().rank()).isEqualTo(page(cold).getAuthority());
            assertThat(report.laggard().words()).contains(" holds the others up: a batch takes it ", reason);
            assertThat(report.lines()).allSatisfy(line -> {
                assertThat(line.batches()).isPositive();
                assertThat(line.window().isServer()).isTrue();
                assertThat(line.window().hasWaits()).isFalse();
            });
            assertThat(report.text().get(0)).contains("make ms");
            assertThat(report.json()).contains("\"make_ms\"").doesNotContain("\"waiting\"");
        }
    }
}

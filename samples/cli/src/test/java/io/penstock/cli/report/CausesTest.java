package io.penstock.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.batch.Batches;
import io.penstock.cache.Fingerprint;
import io.penstock.cli.Cli;
import io.penstock.cli.serve.FileServer;
import io.penstock.order.Position;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.store.http.HttpOptions;
import io.penstock.store.http.HttpStore;
import io.penstock.stream.Execution;
import io.penstock.tensor.Schema;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * Runs that are slow for a cause which is made, and what their verdict names. Causes are waits, which last on any
 * machine as long as they should or longer; the second epoch is judged, which no class has to be loaded for.
 */
class CausesTest {

    private static final Schema<Numeral> SCHEMA = Schema.of(Numeral.class);
    private static final int SAMPLES = 192;
    private static final int CONNECTIONS = 8;
    private static final Duration WAIT = Duration.ofMillis(100);

    record Numeral(int value) {}

    private record Numbers(long size, LongFunction<Mono<Numeral>> load) implements Dataset<Numeral> {
        @Override
        public Fingerprint fingerprint() {
            return Fingerprint.of("numbers");
        }

        @Override
        public Mono<Numeral> get(long index) {
            return load.apply(index);
        }
    }

    private static Numeral computed(long index) {
        return new Numeral((int) index);
    }

    private static String verdict(Dataset<Numeral> numbers, Execution execution, int connections) {
        Dataset<Numeral> counted = numbers.map("as they are", number -> number); // a stage keeps counts
        List<EpochReport> reports = new ArrayList<>();
        EpochLog log =
                new EpochLog(Position.START, System::nanoTime, counted::statistics, EpochLogTest.NONE, reports::add);
        counted.stream(Sampler.shuffled(1).epochs(2), execution)
                .transform(Batches.of(16, SCHEMA))
                .doOnNext(batch -> {
                    try (batch) {
                        log.batch(batch);
                    }
                })
                .blockLast();
        Surroundings around = new Surroundings(
                counted.size(),
                execution.parallelism(),
                Integer.MAX_VALUE,
                counted.loadsInFlight(),
                0,
                0,
                0,
                Set.of(),
                null,
                connections,
                0);
        return Verdict.ofCounting(around, reports.get(1));
    }

    @Test
    void source_whoseLoadsWait_isNamed() {
        Dataset<Numeral> numbers =
                new Numbers(SAMPLES, index -> Mono.delay(WAIT).thenReturn(computed(index)));

        String verdict = verdict(numbers, Execution.standard().inFlight(CONNECTIONS), 0);

        assertThat(verdict)
                .startsWith("the source answers slowly (")
                .endsWith(" in flight): leave --in-flight out, so that the run finds how many pay, or raise it");
    }

    @Tag("endurance")
    @Test
    void stage_thatTheOnlyWorkerWaitsIn_isNamed() {
        Dataset<Numeral> numbers = new Numbers(SAMPLES / 3, index -> Mono.just(computed(index)));
        Scheduler worker = Execution.newWorkers(1);

        String verdict = verdict(
                numbers.map("slow", number -> {
                    LockSupport.parkNanos(WAIT.toNanos() / 3);
                    return number;
                }),
                Execution.standard().workers(worker, 1),
                0);
        worker.dispose();

        assertThat(verdict)
                .startsWith("stage \"slow\" takes ")
                .endsWith(" % of the workers' time: raise --workers (1 of 2147483647 processors are used)");
    }

    @Tag("endurance")
    @Test
    void client_whoseConnectionsAllWait_isNamed(@TempDir Path folder) throws IOException {
        Files.writeString(folder.resolve("one"), "1");
        String verdict;
        try (FileServer server = FileServer.of(folder).delay(WAIT).start();
                HttpStore store =
                        HttpStore.at(server.address(), HttpOptions.standard().connections(CONNECTIONS))) {
            Dataset<Numeral> numbers =
                    new Numbers(SAMPLES, index -> store.find("one", 1, 1).thenReturn(computed(index)));
            verdict = verdict(numbers, Execution.standard().inFlight(4 * CONNECTIONS), CONNECTIONS);
        }

        assertThat(verdict)
                .startsWith("the source answers slowly (")
                .contains("all 8 connections of the client are in use, so a larger --in-flight changes nothing");
    }

    @Test
    void reader_ofEventsWhoWaits_isNamedAsTheConsumer(@TempDir Path folder) throws IOException {
        Path records = Files.write(folder.resolve("records"), new byte[SAMPLES]);
        StringWriter slow = new StringWriter() {
            @Override
            public void write(String text, int from, int length) {
                LockSupport.parkNanos(WAIT.toNanos());
                super.write(text, from, length);
            }
        };

        Cli run = Cli.into(
                slow,
                "stream --json --batch-events --source records:%s,1 --batch 16 --epochs 2"
                        .formatted(records)
                        .split(" "));

        assertThat(run.err()).isEmpty();
        assertThat(run.done().path("verdict").asText()).startsWith("the consumer sets the pace");
    }
}

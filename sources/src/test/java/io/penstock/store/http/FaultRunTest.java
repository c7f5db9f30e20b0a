package io.penstock.store.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cache.Fingerprint;
import io.penstock.fault.SampleException;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.ErrorPolicy;
import io.penstock.store.Store;
import io.penstock.store.StoreEntry;
import io.penstock.store.http.TestServer.Fault;
import io.penstock.stream.Execution;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;

/** A fifth of all answers goes wrong, in every way there is. */
@ExtendWith(NoLeaks.class)
class FaultRunTest {

    private static final int SAMPLES = 400;
    private static final Map<Fault, Double> FIFTH = Map.of(
            Fault.REFUSE, 0.04,
            Fault.RESET, 0.04,
            Fault.STALL, 0.02,
            Fault.TRUNCATE, 0.04,
            Fault.WRONG_LENGTH, 0.03,
            Fault.STATUS_503, 0.02,
            Fault.STATUS_429, 0.01);

    @TempDir
    private Path folder;

    private final List<byte[]> contents = new ArrayList<>();
    private final List<StoreEntry> entries = new ArrayList<>();

    private record Remote(Store store, List<StoreEntry> entries) implements Dataset<ByteBuffer> {
        @Override
        public long size() {
            return entries.size();
        }

        @Override
        public Fingerprint fingerprint() {
            return Fingerprint.of("remote");
        }

        @Override
        public Mono<ByteBuffer> get(long index) {
            return store.read(entries.get((int) index));
        }
    }

    @BeforeEach
    void write() throws IOException {
        Random random = new Random(5);
        for (int i = 0; i < SAMPLES; i++) {
            byte[] bytes = new byte[1 + random.nextInt(40_000)];
            random.nextBytes(bytes);
            contents.add(bytes);
            Files.write(folder.resolve(i + ".bin"), bytes);
        }
        try (TestServer server = TestServer.of(folder);
                HttpStore store = HttpStore.at(server.address())) {
            for (int i = 0; i < SAMPLES; i++) {
                entries.add(store.entry(i + ".bin").block());
            }
        }
    }

    private static HttpOptions options() {
        return HttpOptions.standard()
                .firstByteTimeout(Duration.ofSeconds(2)) // longer than a busy machine delays a sound answer
                .backoff(Duration.ofMillis(1), Duration.ofMillis(20));
    }

    @Tag("endurance")
    @Test
    void epoch_withAFifthOfAnswersWrong_isEverySampleOnceAndRight() {
        try (TestServer server = TestServer.withFaults(folder, FIFTH);
                HttpStore store = HttpStore.at(server.address(), options().inFlight(16))) {
            List<Long> delivered = new ArrayList<>();

            new Remote(store, entries)
                    .stream(Sampler.shuffled(1), Execution.standard().inFlight(64))
                            .doOnNext(sample -> {
                                int index = (int) sample.draw().index();
                                delivered.add(sample.draw().index());
                                assertThat(sample.value().array()).isEqualTo(contents.get(index));
                            })
                            .blockLast();

            assertThat(delivered).hasSize(SAMPLES).doesNotHaveDuplicates();
            assertThat(server.requests()).isBetween(SAMPLES * 115L / 100, SAMPLES * 150L / 100);
        }
    }

    @Test
    void epoch_beyondTheBudget_skipsAndSaysWhichRequestFailedHow() {
        try (TestServer server = TestServer.withFaults(folder, FIFTH);
                HttpStore store = HttpStore.at(server.address(), options().attempts(1, Duration.ofSeconds(9)))) {
            ConcurrentLinkedQueue<SampleException> failures = new ConcurrentLinkedQueue<>();
            TreeSet<Long> delivered = new TreeSet<>();

            new Remote(store, entries)
                    .onError(ErrorPolicy.skip().quarantine(failures::add)).stream(Sampler.shuffled(1))
                            .filter(sample -> sample.isPresent())
                            .doOnNext(sample -> {
                                assertThat(sample.value().array()).isEqualTo(contents.get((int)
                                        sample.draw().index()));
                                delivered.add(sample.draw().index());
                            })
                            .blockLast();

            assertThat(failures).hasSizeBetween(SAMPLES / 8, SAMPLES / 3);
            assertThat(delivered).hasSize(SAMPLES - failures.size());
            assertThat(failures)
                    .allSatisfy(failure -> assertThat(failure.getMessage())
                            .containsPattern("GET http://127.0.0.1:\\d+/\\d+\\.bin failed on attempt 1 of 1 after "))
                    .anySatisfy(failure -> assertThat(failure.getMessage()).contains("answered 503"))
                    .anySatisfy(failure -> assertThat(failure.getMessage()).contains("answered 429"))
                    .anySatisfy(failure -> assertThat(failure.getMessage()).contains("stalled: no byte came for 2.0 s"))
                    .anySatisfy(failure -> assertThat(failure.getMessage()).contains("connection broke"))
                    .anySatisfy(failure -> assertThat(failure.getMessage()).contains("was listed with"));
        }
    }

    @Test
    void epoch_withoutAPolicy_endsWithTheRequest() {
        try (TestServer server = TestServer.withFaults(folder, Map.of(Fault.STATUS_500, 1.0));
                HttpStore store = HttpStore.at(server.address(), options().attempts(3, Duration.ofSeconds(9)))) {
            assertThatThrownBy(() -> new Remote(store, entries)
                            .stream(Sampler.sequential()).blockLast())
                    .hasMessageContaining("GET " + server.address() + "0.bin failed on attempt 3 of 3 after ")
                    .hasMessageContaining("answered 500 (internal server error)");
        }
    }
}

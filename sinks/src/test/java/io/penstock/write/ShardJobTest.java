package io.penstock.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.batch.MadeDataset;
import io.penstock.cache.Fingerprint;
import io.penstock.fault.SampleException;
import io.penstock.fault.StoreException;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.ErrorPolicy;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import io.penstock.write.internal.ShardPlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

class ShardJobTest {

    private static final Duration HANG = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    private ShardJob<Tensor> job(Dataset<Tensor> dataset, long each) {
        return ShardJob.of(dataset, TarWriter.of(Schema.tensor("v")), folder, each);
    }

    private static Path shard(Path folder, long number) {
        return folder.resolve(ShardPlan.shard(number));
    }

    private Map<String, byte[]> everything() throws IOException {
        Map<String, byte[]> all = new LinkedHashMap<>();
        for (int shard = 0; Files.exists(shard(folder, shard)); shard++) {
            all.putAll(TarContents.of(shard(folder, shard)));
        }
        return all;
    }

    @ParameterizedTest
    @CsvSource({"0,10,1", "1,10,3", "95,10,1", "100,10,3", "101,10,4", "7,1,9"})
    void run_ofAllParts_writesEverySampleOnce(int size, int each, int parts) throws IOException {
        MadeDataset<Tensor> numbers = Numbers.of(size);

        List<Written> written = Flux.range(0, parts)
                .flatMap(part -> job(numbers, each).run(part, parts))
                .collectList()
                .block();

        assertThat(written).hasSize((size + each - 1) / each);
        assertThat(written.stream().mapToLong(Written::samples).sum()).isEqualTo(size);
        assertThat(numbers.loads).hasValue(size);
        Map<String, byte[]> all = everything();
        assertThat(all).hasSize(size);
        for (int i = 0; i < size; i++) {
            assertThat(all.get("%09d.v.npy".formatted(i)))
                    .isEqualTo(Npy.encode(Tensor.ofLongs(new long[] {i, -i})).toByteArray());
        }
    }

    /** They all want to write the plan, and none must take another's unfinished one for a dead process's. */
    @Test
    void run_ofPartsThatBeginTogether_hindersNone() throws IOException {
        for (int round = 0; round < 60; round++) {
            Path fresh = folder.resolve("round-" + round);

            List<Written> written = Flux.range(0, 8)
                    .flatMap(part -> ShardJob.of(Numbers.of(8), TarWriter.of(Schema.tensor("v")), fresh, 1)
                            .run(part, 8))
                    .collectList()
                    .block();

            assertThat(written).hasSize(8);
            try (Stream<Path> files = Files.list(fresh)) {
                assertThat(files).as("with the plan, and nothing unfinished").hasSize(9);
            }
        }
    }

    /** As two attempts at one task of an engine do. */
    @Test
    void run_ofOnePartTwiceAtOnce_writesItOnceOrTwiceButWhole() throws IOException {
        for (int round = 0; round < 20; round++) {
            Path fresh = folder.resolve("round-" + round);

            Flux.range(0, 4)
                    .flatMap(attempt -> ShardJob.of(Numbers.of(20), TarWriter.of(Schema.tensor("v")), fresh, 10)
                            .run(0, 1))
                    .blockLast();

            for (int shard = 0; shard < 2; shard++) {
                assertThat(TarContents.of(shard(fresh, shard))).hasSize(10);
            }
            try (Stream<Path> files = Files.list(fresh)) {
                assertThat(files).hasSize(3);
            }
        }
    }

    @Test
    void run_ofADatasetThatThrowsAnErrorAsAShardBegins_fails() {
        LinkageError thrown = new NoClassDefFoundError("of a jar that is missing");
        MadeDataset<Tensor> numbers = Numbers.of(20);
        AtomicInteger asked = new AtomicInteger();
        Dataset<Tensor> dataset = new Dataset<>() {
            @Override
            public long size() {
                return numbers.size();
            }

            @Override
            public Fingerprint fingerprint() {
                if (asked.getAndIncrement() > 0) { // the first is for the plan
                    throw thrown;
                }
                return numbers.fingerprint();
            }

            @Override
            public Mono<Tensor> get(long index) {
                return numbers.get(index);
            }
        };

        StepVerifier.create(job(dataset, 10).run(0, 1))
                .expectErrorSatisfies(e -> assertThat(e).hasRootCause(thrown))
                .verify(HANG);
    }

    @Test
    void run_again_writesWhatIsMissing() throws IOException {
        MadeDataset<Tensor> numbers = Numbers.of(50);
        job(numbers, 10).run(0, 1).blockLast();
        Files.delete(shard(folder, 3));
        Files.writeString(folder.resolve(".shard-000003.tar.dead.part"), "left by a process that was killed");

        StepVerifier.create(job(numbers, 10).run(1, 2), 0)
                .thenRequest(1)
                .expectNextMatches(
                        written -> written.location().equals(shard(folder, 3).toString()))
                .verifyComplete();

        assertThat(numbers.loads).hasValue(60);
        assertThat(everything()).hasSize(50);
        assertThat(folder).isDirectoryNotContaining("glob:**.part");
    }

    @Test
    void run_thatFails_keepsWhatIsFinishedAndGoesOnLater() throws IOException {
        AtomicLong done = new AtomicLong();

        StepVerifier.create(job(Numbers.of(50, 37), 10)
                        .eachSample(done::incrementAndGet)
                        .run(0, 1))
                .thenConsumeWhile(written -> true)
                .verifyErrorSatisfies(e -> assertThat(e).isInstanceOf(SampleException.class));

        assertThat(shard(folder, 3)).doesNotExist();
        assertThat(shard(folder, 0)).exists();
        assertThat(done.get()).isBetween(20L, 49L);
        List<Written> rest = job(Numbers.of(50), 10).run(0, 1).collectList().block();
        assertThat(rest).extracting(Written::location).contains(shard(folder, 3).toString());
        assertThat(everything()).hasSize(50);
    }

    @Test
    void run_whichSkipsABrokenSample_leavesItOut() throws IOException {
        StepVerifier.create(
                        job(Numbers.of(10, 7), 5).onError(ErrorPolicy.skip()).run(0, 1))
                .expectNextCount(2)
                .verifyComplete();

        assertThat(everything()).hasSize(9).doesNotContainKey("000000007.v.npy");
    }

    @Test
    void run_intoAnotherJobsFolder_isRefused() throws IOException {
        job(Numbers.of(10), 5).run(0, 1).blockLast();

        StepVerifier.create(job(Numbers.of(11), 5).run(0, 1))
                .verifyErrorSatisfies(e -> assertThat(e)
                        .isInstanceOf(StoreException.class)
                        .hasMessageContaining("has shards of other samples or stages"));
        StepVerifier.create(job(Numbers.of(10), 4).run(0, 1))
                .verifyErrorMessage(
                        folder + " has shards of 5 samples of 10, this job has 4 of 10; name another folder");
        Files.delete(folder.resolve(ShardPlan.NAME));
        StepVerifier.create(job(Numbers.of(10), 5).run(0, 1))
                .verifyErrorMessage(
                        folder
                                + " has shards but no materialized.json, which says what they are made of; name another folder");
        Files.writeString(folder.resolve(ShardPlan.NAME), "{");
        StepVerifier.create(job(Numbers.of(10), 5).run(0, 1))
                .verifyErrorSatisfies(e -> assertThat(e)
                        .isInstanceOf(StoreException.class)
                        .hasMessage(folder.resolve(ShardPlan.NAME)
                                + " is no plan of shards: Unexpected end-of-input: expected close marker for Object"));
    }

    @Test
    void of_nonsense_isRefused() {
        assertThatThrownBy(() -> job(Numbers.of(1), 0)).hasMessage("a shard must have at least 1 sample, was 0");
        assertThatThrownBy(() -> job(Numbers.of(1), 1).run(2, 2)).hasMessage("part must be in [0, 2), was 2");
    }
}

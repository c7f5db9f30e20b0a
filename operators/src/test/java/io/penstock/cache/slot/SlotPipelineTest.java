package io.penstock.cache.slot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cache.Cache;
import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.cache.Tier;
import io.penstock.cache.ram.RamTier;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.SampleId;
import io.penstock.tensor.DType;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Slots where they belong: in a pipeline. */
class SlotPipelineTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final int SAMPLES = 500;
    private static final int BYTES = 1_000;
    private static final SlotLayout LAYOUT = SlotLayout.of(SAMPLES, DType.U8, BYTES);

    private final SlotsFixture fixture = new SlotsFixture();

    @AfterEach
    void delete() {
        fixture.close();
    }

    /** Files, some of which have been changed since. */
    private record Files(Set<Long> changed, AtomicLong loads) implements Dataset<Tensor> {
        Files(Long... changed) {
            this(Set.of(changed), new AtomicLong());
        }

        @Override
        public long size() {
            return SAMPLES;
        }

        @Override
        public Fingerprint fingerprint() {
            return Fingerprint.of("files", changed.toString());
        }

        @Override
        public SampleId id(long index) {
            SampleKey key = SampleKey.of("file", changed.contains(index) ? "changed" : "as it was")
                    .with(index);
            return SampleId.of(key, () -> "#" + index, List::of);
        }

        @Override
        public Mono<Tensor> get(long index) {
            return Mono.fromCallable(() -> {
                loads.incrementAndGet();
                return SlotsFixture.sample(index, changed.contains(index) ? 1 : 0, DType.U8, BYTES);
            });
        }

        Tensor expected(long index) {
            return SlotsFixture.sample(index, changed.contains(index) ? 1 : 0, DType.U8, BYTES);
        }
    }

    private static void run(Dataset<Tensor> cached, Files files, int epochs) {
        StepVerifier.create(cached.stream(Sampler.shuffled(3).epochs(epochs)), 0)
                .thenRequest(Long.MAX_VALUE)
                .thenConsumeWhile(sample ->
                        sample.value().equals(files.expected(sample.draw().index())))
                .expectComplete()
                .verify(TIMEOUT);
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 30, 50, 70, 90, 100})
    void cache_inAShareOfTheSlots_hitsThatShare(int percent) {
        Files files = new Files();
        int slots = SAMPLES * percent / 100;
        long room = SlotHeader.fileLength(LAYOUT, slots) + SlotFile.PAGE;
        try (SharedSlots shared = SharedSlots.at(fixture.file).maxBytes(room).open(LAYOUT)) {
            Dataset<Tensor> cached = shared.cache(files);
            long held = shared.capacity();

            run(cached, files, 3);

            assertThat(held).isBetween((long) slots, slots + 4L);
            assertThat(cached.statistics(0).hits()).isEqualTo(Map.of("slots", 0L));
            assertThat(cached.statistics(1).hits()).isEqualTo(Map.of("slots", held));
            assertThat(files.loads).hasValue(SAMPLES + 2 * (SAMPLES - held));
        }
    }

    @Test
    void cache_reopened_isWarm() {
        Files files = new Files();
        try (SharedSlots shared = SharedSlots.at(fixture.file).open(LAYOUT)) {
            run(shared.cache(files), files, 1);
        }
        try (SharedSlots shared = SharedSlots.at(fixture.file).open(LAYOUT)) {
            run(shared.cache(files), files, 2);

            assertThat(files.loads).hasValue(SAMPLES);
        }
    }

    @Test
    void tensor_ofWhatAPipelineCached_isTheArrayOfTheData() {
        Files files = new Files();
        try (SharedSlots shared = SharedSlots.at(fixture.file).open(LAYOUT)) {
            run(shared.cache(files), files, 1);

            Tensor all = shared.tensor();
            for (int i = 0; i < SAMPLES; i++) {
                assertThat(all.row(i)).isEqualTo(files.expected(i));
            }
        }
    }

    /** One file changed: one sample is loaded again, and what was in its slot is never given for it. */
    @Test
    void cache_afterAFileChanged_loadsThatOneAlone() {
        Files before = new Files();
        try (SharedSlots shared = SharedSlots.at(fixture.file).open(LAYOUT)) {
            run(shared.cache(before), before, 1);
        }
        Files after = new Files(17L, 400L);
        try (SharedSlots shared = SharedSlots.at(fixture.file).open(LAYOUT)) {
            Dataset<Tensor> cached = shared.cache(after);

            run(cached, after, 1);

            assertThat(after.loads).hasValue(2);
            assertThat(cached.statistics(0).hits()).isEqualTo(Map.of("slots", SAMPLES - 2L));
        }
    }

    @Test
    void cache_afterAStageChanged_missesAll() {
        Files files = new Files();
        try (SharedSlots shared = SharedSlots.at(fixture.file).open(LAYOUT)) {
            run(shared.cache(files), files, 1);
            Dataset<Tensor> other = shared.cache(files.map("another", sample -> sample));

            run(other, files, 1);

            assertThat(other.statistics(0).hits()).isEqualTo(Map.of("slots", 0L));
            assertThat(files.loads).hasValue(2 * SAMPLES);
        }
    }

    @Test
    void cache_withASchema_keepsEncodedSamples() {
        Files files = new Files();
        Schema<Tensor> schema = Schema.tensor("value");
        int encoded = schema.encode(files.expected(0)).length();
        try (SharedSlots shared = SharedSlots.at(fixture.file).open(SlotLayout.of(SAMPLES, DType.U8, encoded));
                Tier ram = RamTier.ofBytes(200_000)) {
            Dataset<Tensor> cached = files.cache(Cache.of(ram, shared.tier(files, schema)), schema);

            run(cached, files, 3);

            assertThat(files.loads).hasValue(SAMPLES);
            assertThat(cached.statistics(2).hits().get("slots")).isPositive();
        }
    }

    @Test
    void tier_forADatasetOfAnotherSize_isRefused() {
        try (SharedSlots shared = SharedSlots.at(fixture.file).open(SlotLayout.of(SAMPLES + 1, DType.U8, BYTES))) {
            assertThatThrownBy(() -> shared.cache(new Files()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("slots for 501 samples cannot serve a dataset of 500; open them with its size");
        }
    }
}

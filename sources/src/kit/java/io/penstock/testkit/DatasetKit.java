package io.penstock.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cache.SampleKey;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.GroupLoader;
import io.penstock.stream.Sample;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntPredicate;
import org.assertj.core.api.Assumptions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** What it means to be a dataset. Extend it for each source, over data of at least three samples. */
public abstract class DatasetKit<T> {

    /** The data, opened again by each call; the same data. */
    protected abstract Dataset<T> open() throws Exception;

    /** The value that the data has at an index. */
    protected abstract T expected(long index);

    /** Changes the state of one sample, so that the next {@link #open} finds it changed. */
    protected abstract void change(long index) throws Exception;

    /** Whether a change of one sample's state is a change of another's: records that lie in one file. */
    protected boolean share(long one, long other) {
        return one == other;
    }

    private static <T> List<T> values(Dataset<T> dataset) {
        List<T> values = new ArrayList<>();
        for (long index = 0; index < dataset.size(); index++) {
            values.add(loaded(dataset, index));
        }
        return values;
    }

    private static <T> T loaded(Dataset<T> dataset, long index) {
        @Nullable T value = dataset.get(index).block();
        assertThat(value).as("sample %d", index).isNotNull();
        return value;
    }

    private static List<SampleKey> keys(Dataset<?> dataset) {
        List<SampleKey> keys = new ArrayList<>();
        for (long index = 0; index < dataset.size(); index++) {
            keys.add(dataset.id(index).key());
        }
        return keys;
    }

    @Test
    void size_ofAnyDataset_isAtLeastThreeForThisKit() throws Exception {
        Dataset<T> dataset = open();

        long size = dataset.size();

        assertThat(size).isGreaterThanOrEqualTo(3);
    }

    @Test
    void get_everyIndex_isTheValueThatLiesThere() throws Exception {
        Dataset<T> dataset = open();

        List<T> values = values(dataset);

        for (int index = 0; index < values.size(); index++) {
            assertThat(values.get(index)).as("sample %d", index).isEqualTo(expected(index));
        }
    }

    @Test
    void get_sameIndexAgain_isEqual() throws Exception {
        Dataset<T> dataset = open();

        List<T> first = values(dataset);
        List<T> second = values(dataset);

        assertThat(second).isEqualTo(first);
    }

    @Test
    void get_withoutDemand_deliversNothing() throws Exception {
        Dataset<T> dataset = open();

        Mono<T> sample = dataset.get(1);

        StepVerifier.create(sample, 0)
                .expectSubscription()
                .thenRequest(1)
                .expectNext(expected(1))
                .verifyComplete();
    }

    @Test
    void get_oneMonoTwice_isTheSameTwice() throws Exception {
        Mono<T> sample = open().get(2);

        T first = sample.block();
        T second = sample.block();

        assertThat(second).isEqualTo(first).isEqualTo(expected(2));
    }

    @Test
    void get_indexOutOfRange_isRefused() throws Exception {
        Dataset<T> dataset = open();

        for (long index : new long[] {-1, dataset.size(), Long.MAX_VALUE, Long.MIN_VALUE, 1L << 32}) {
            assertThatThrownBy(() -> dataset.get(index).block()).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> dataset.id(index).key()).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void get_fromManyThreads_isWhatOneThreadGets() throws Exception {
        Dataset<T> dataset = open();
        List<Long> indices = new ArrayList<>();
        for (long i = 0; i < 1000; i++) {
            indices.add(i * 7 % dataset.size());
        }

        List<T> values = Flux.fromIterable(indices)
                .flatMapSequential(i -> Mono.defer(() -> dataset.get(i)).subscribeOn(Schedulers.parallel()), 64)
                .collectList()
                .block();

        assertThat(values).isEqualTo(indices.stream().map(this::expected).toList());
    }

    @Test
    void stream_shuffled_isEverySampleOnce() throws Exception {
        Dataset<T> dataset = open();

        List<Long> drawn = new ArrayList<>();
        dataset.stream(Sampler.shuffled(3))
                .doOnNext(sample -> {
                    assertThat(sample.value()).isEqualTo(expected(sample.draw().index()));
                    drawn.add(sample.draw().index());
                })
                .blockLast();

        assertThat(drawn).hasSize((int) dataset.size()).doesNotHaveDuplicates();
    }

    @Test
    void getAll_anyGroup_isWhatEachSampleIs() throws Exception {
        Dataset<T> dataset = open();
        GroupLoader<T> groups = groups(dataset);
        long last = dataset.size() - 1;

        for (long[] indices : new long[][] {{last, 0, 1}, {1}, {2, 2, 0, 2}, {}}) {
            Told<T> told = new Told<>(indices.length, place -> true);
            groups.getAll(indices, told).block();

            for (int place = 0; place < indices.length; place++) {
                assertThat(told.told.get(place)).as("place %d", place).isEqualTo(expected(indices[place]));
            }
        }
    }

    @Test
    void getAll_untilSubscribedTo_tellsNothing() throws Exception {
        Dataset<T> dataset = open();
        Told<T> told = new Told<>(2, place -> true);

        Mono<Void> group = groups(dataset).getAll(new long[] {0, 1}, told);

        assertThat(told.told).isEmpty();
        group.block();
        assertThat(told.told).hasSize(2);
    }

    @Test
    void getAll_oneIndexOutOfRange_failsAlone() throws Exception {
        Dataset<T> dataset = open();
        Told<T> told = new Told<>(3, place -> true);

        groups(dataset).getAll(new long[] {1, dataset.size(), 0}, told).block();

        assertThat(told.told.get(0)).isEqualTo(expected(1));
        assertThat(told.told.get(1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(told.told.get(2)).isEqualTo(expected(0));
    }

    @Test
    void stream_inGroups_isWhatOneLoadAtATimeGives() throws Exception {
        Dataset<T> dataset = open();
        Dataset<T> alone = Dataset.wrapping(dataset, dataset::get);

        for (Sampler order : List.of(Sampler.sequential(), Sampler.shuffled(5).epochs(2))) {
            StepVerifier.create(dataset.stream(order).map(Sample::value), 0)
                    .thenRequest(1)
                    .expectNextCount(1)
                    .thenCancel()
                    .verify();
            List<T> values = dataset.stream(order).map(Sample::value).collectList().block();

            assertThat(values)
                    .isEqualTo(alone.stream(order).map(Sample::value).collectList().block());
        }
    }

    private static <T> GroupLoader<T> groups(Dataset<T> dataset) {
        GroupLoader<T> groups = GroupLoader.of(dataset);
        Assumptions.assumeThat(groups).as("what loads groups").isNotNull();
        return Objects.requireNonNull(groups);
    }

    /** What a group was told: a value or a failure at each place. */
    private record Told<T>(Map<Integer, Object> told, int size, IntPredicate wanted)
            implements GroupLoader.Receiver<T> {

        Told(int size, IntPredicate wanted) {
            this(new ConcurrentHashMap<>(), size, wanted);
        }

        @Override
        public boolean wants(int place) {
            return wanted.test(place);
        }

        @Override
        public void value(int place, T value) {
            add(place, value);
        }

        @Override
        public void failure(int place, Throwable cause) {
            add(place, cause);
        }

        private void add(int place, Object outcome) {
            assertThat(place).isBetween(0, size - 1);
            assertThat(told.put(place, outcome)).as("told before of place %d", place).isNull();
        }
    }

    @Test
    void key_ofEverySample_isItsOwn() throws Exception {
        Dataset<T> dataset = open();

        Set<SampleKey> keys = new HashSet<>(keys(dataset));

        assertThat(keys).hasSize((int) dataset.size());
    }

    @Test
    void name_ofEverySample_isItsOwn() throws Exception {
        Dataset<T> dataset = open();

        Set<String> names = new HashSet<>();
        for (long index = 0; index < dataset.size(); index++) {
            names.add(dataset.name(index));
        }

        assertThat(names).hasSize((int) dataset.size());
    }

    @Test
    void reopened_sameData_hasSameKeysNamesAndFingerprint() throws Exception {
        Dataset<T> first = open();
        Dataset<T> second = open();

        List<SampleKey> keys = keys(second);

        assertThat(keys).isEqualTo(keys(first));
        assertThat(second.fingerprint()).isEqualTo(first.fingerprint());
        assertThat(second.name(2)).isEqualTo(first.name(2));
    }

    @Test
    void reopened_oneSampleChanged_hasAnotherKeyForThatOneAlone() throws Exception {
        Dataset<T> before = open();
        List<SampleKey> keys = keys(before);

        change(1);
        Dataset<T> after = open();

        assertThat(after.fingerprint()).isNotEqualTo(before.fingerprint());
        for (int index = 0; index < keys.size(); index++) {
            assertThat(after.id(index).key().equals(keys.get(index)))
                    .as("key %d", index)
                    .isEqualTo(!share(1, index));
            assertThat(after.id(index).state().equals(before.id(index).state()))
                    .as("state %d", index)
                    .isEqualTo(after.id(index).key().equals(keys.get(index)));
        }
        assertThat(after.id(1).state()).isNotEqualTo(before.id(1).state());
    }
}

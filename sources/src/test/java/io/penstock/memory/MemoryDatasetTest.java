package io.penstock.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.pipeline.Dataset;
import io.penstock.testkit.DatasetKit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

class MemoryDatasetTest extends DatasetKit<String> {

    private final List<String> samples = List.of("a", "b", "c", "d");
    private String version = "1";

    @Override
    protected Dataset<String> open() {
        return MemoryDataset.<String>of("letters", samples).version(version);
    }

    @Override
    protected String expected(long index) {
        return samples.get((int) index);
    }

    @Override
    protected void change(long index) {
        version = "2";
    }

    @Override
    protected boolean share(long one, long other) {
        return true; // a version is of all of them
    }

    @Test
    void of_listChangedLater_keepsItsSamples() {
        List<String> list = new ArrayList<>(List.of("x", "y"));
        MemoryDataset<String> dataset = MemoryDataset.of("list", list);

        list.clear();

        assertThat(dataset.size()).isEqualTo(2);
        StepVerifier.create(dataset.get(1)).expectNext("y").verifyComplete();
    }

    @Test
    void get_ofList_isAtHand() {
        Mono<String> sample = open().get(0);

        assertThat(sample).isInstanceOf(Callable.class);
    }

    @Test
    void generate_sample_isMadeWhenAskedForAndNotBefore() {
        AtomicInteger made = new AtomicInteger();
        MemoryDataset<Long> squares = MemoryDataset.generate("squares", 1L << 40, index -> {
            made.incrementAndGet();
            return index * index;
        });

        Mono<Long> sample = squares.get(1L << 20);
        int before = made.get();

        StepVerifier.create(sample).expectNext(1L << 40).verifyComplete();
        assertThat(before).isZero();
        assertThat(made).hasValue(1);
    }

    @Test
    void generate_null_isAnErrorThatNamesTheIndex() {
        MemoryDataset<String> broken = MemoryDataset.generate("broken", 9, index -> nothing());

        Mono<String> sample = broken.get(7);

        StepVerifier.create(sample)
                .verifyErrorSatisfies(e -> assertThat(e).hasMessage("dataset \"broken\" made null of index 7"));
    }

    @SuppressWarnings("NullAway") // what a caller without NullAway can do
    private static String nothing() {
        return null;
    }

    @Test
    void key_longerList_keepsTheKeysOfWhatItShares() {
        MemoryDataset<String> shorter = MemoryDataset.of("grows", List.of("a"));
        MemoryDataset<String> longer = MemoryDataset.of("grows", List.of("a", "b"));

        boolean sameSample = longer.id(0).key().equals(shorter.id(0).key());

        assertThat(sameSample).isTrue();
        assertThat(longer.fingerprint()).isNotEqualTo(shorter.fingerprint());
    }

    @Test
    void of_blankName_isRefused() {
        assertThatThrownBy(() -> MemoryDataset.of(" ", List.of("a")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a dataset in memory needs a name: it is part of the cache key");
        assertThatThrownBy(() -> MemoryDataset.generate("n", -1, index -> index))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("size must not be negative: -1");
    }
}

package io.penstock.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.order.Sampler;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

class JoinTest {

    private final AtomicInteger asked = new AtomicInteger();

    /** Names as values. */
    private Dataset<String> named(String place, String... names) {
        return new Dataset<>() {
            @Override
            public long size() {
                return names.length;
            }

            @Override
            public Fingerprint fingerprint() {
                return Fingerprint.of(place, String.join(",", names));
            }

            @Override
            public Mono<String> get(long index) {
                return Mono.just(place + ":" + names[Math.toIntExact(index)]);
            }

            @Override
            public SampleId id(long index) {
                return SampleId.of(
                        SampleKey.of(place, names[Math.toIntExact(index)]),
                        () -> {
                            asked.incrementAndGet();
                            return names[(int) index];
                        },
                        () -> List.of("in " + place));
            }
        };
    }

    private static List<String> values(Dataset<String> dataset) {
        return dataset.stream(Sampler.sequential())
                .map(sample -> sample.value())
                .collectList()
                .block();
    }

    @Test
    void inner_namesInOtherOrders_pairsThoseOfBothSides() {
        Dataset<String> joined = named("l", "a", "b", "c")
                .join("both", named("r", "c", "x", "a"), Join.inner(), (left, right) -> left + " " + right);

        assertThat(values(joined)).containsExactly("l:a r:a", "l:c r:c");
        assertThat(joined.name(1)).isEqualTo("c");
        assertThat(joined.id(1).state()).containsExactly("left: in l", "right: in r");
        assertThat(joined.toString())
                .contains("inner join, 2 samples: 1 left samples without a partner, 1 right ones without, 0 twins");
    }

    @Test
    void left_withoutPartner_getsNull() {
        Dataset<String> joined = named("l", "a", "b", "a2")
                .join(
                        "both",
                        named("r", "a", "a", "q"),
                        Join.left().by(i -> List.of("a", "b", "a").get((int) i), i -> i < 2 ? "a" : "q"),
                        (left, right) -> left + " " + right);

        assertThat(values(joined)).containsExactly("l:a r:a", "l:b null", "l:a2 r:a");
        assertThat(joined.id(1).state()).containsExactly("left: in l", "right: none");
        assertThat(joined.toString())
                .contains("left join, 3 samples: 1 left samples without a partner, 1 right ones without, 1 twins");
    }

    @Test
    void key_ofAJoinedSample_followsBothSides() {
        Dataset<String> left = named("l", "a", "b");
        Dataset<String> one = left.join("both", named("r", "a", "b"), Join.inner(), (l, r) -> l);
        Dataset<String> other = left.join("both", named("s", "a", "b"), Join.inner(), (l, r) -> l);

        assertThat(one.id(0).key())
                .isNotEqualTo(other.id(0).key())
                .isNotEqualTo(left.id(0).key());
        assertThat(one.fingerprint()).isNotEqualTo(other.fingerprint());
        assertThatThrownBy(() -> one.id(2).key()).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void state_ofAJoinedSample_hasTwoWordsASide() {
        SampleId left = SampleId.of(SampleKey.of("a"), () -> "a", () -> List.of("in l", "size 1", "label 2"));
        SampleId right = SampleId.of(SampleKey.of("b"), () -> "b", () -> List.of("in r", "size 3", "modified 4"));

        assertThat(left.joined(right).state())
                .containsExactly("left: in l", "left: size 1, label 2", "right: in r", "right: size 3, modified 4");
    }

    @Test
    void join_withoutAnyPartner_isRefusedWithAKeyOfEachSide() {
        assertThatThrownBy(() -> named("l", "a.jpg").join("both", named("r", "a.png"), Join.left(), (l, r) -> l))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("a.jpg", "a.png");
    }

    @Test
    void keptIn_secondJoin_asksForNoName(@TempDir Path folder) {
        Dataset<String> left = named("l", "a", "b", "c");
        Dataset<String> right = named("r", "c", "x", "a", "a");
        List<String> first = values(left.join("both", right, Join.left().keptIn(folder), (l, r) -> l + " " + r));
        int before = asked.get();

        Dataset<String> again = left.join("both", right, Join.left().keptIn(folder), (l, r) -> l + " " + r);

        assertThat(asked.get()).isEqualTo(before);
        assertThat(values(again)).isEqualTo(first).containsExactly("l:a r:a", "l:b null", "l:c r:c");
        assertThat(again.toString()).contains("1 twins");
    }

    @Test
    void get_withoutDemand_loadsNothing() {
        Dataset<String> joined = named("l", "a", "b").join("both", named("r", "b", "a"), Join.inner(), (l, r) -> l + r);

        StepVerifier.create(joined.get(1), 0)
                .expectSubscription()
                .thenRequest(1)
                .expectNext("l:br:b")
                .verifyComplete();
    }
}

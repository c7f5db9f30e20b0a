package io.penstock.digest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.order.Draw;
import io.penstock.order.Position;
import io.penstock.stream.Sample;
import io.penstock.tensor.DType;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

class StreamDigestTest {

    private static final Schema<Pair> PAIRS = Schema.of(Pair.class);

    record Pair(Tensor a, Tensor b) {

        static Pair of(long index) {
            return new Pair(Tensor.ofFloats(new float[] {index, 0.5f}), Tensor.scalar(index * index));
        }
    }

    private static <T> Sample<T> sample(long epoch, long index, T value) {
        return Sample.of(new Draw(7, epoch, index, new Position(epoch, index + 1)), value);
    }

    private static EpochDigest of(long... indices) {
        return of(LongStream.of(indices)
                .mapToObj(index -> sample(0, index, Pair.of(index)))
                .toList());
    }

    private static EpochDigest of(List<Sample<Pair>> samples) {
        StreamDigest<Pair> digest = StreamDigest.of(PAIRS);
        samples.forEach(digest::observe);
        return digest.epoch(0);
    }

    private static String content(Tensor value) {
        StreamDigest<Tensor> digest = StreamDigest.of(Schema.tensor("x"));
        digest.observe(sample(0, 3, value));
        return digest.epoch(0).content();
    }

    /** Pinned, as computed by the reference implementation of XXH3 from the recipe of {@link SampleHash}. */
    @Test
    void digest_ofKnownSamples_staysTheSameAcrossVersions() {
        EpochDigest digest = of(0, 1, 2, 3, 4);

        assertThat(digest.samples()).isEqualTo(5);
        assertThat(digest.order()).isEqualTo("78176b91096aa911");
        assertThat(digest.content()).isEqualTo("b679ae3e768d570d");
        assertThat(content(Tensor.ofBytes(new byte[1000]))).isEqualTo("567735eb141ce80a");
    }

    @Test
    void digest_ofNothing_isZeros() {
        EpochDigest digest = StreamDigest.of(PAIRS).epoch(4);

        assertThat(digest).isEqualTo(new EpochDigest(4, 0, 0, 0));
        assertThat(digest.order()).isEqualTo("0000000000000000");
        assertThat(digest.content()).isEqualTo("0000000000000000");
    }

    @Property(tries = 100)
    void order_decidesTheOrderDigestAlone(@ForAll @Size(min = 2, max = 20) List<@IntRange(max = 99) Integer> indices) {
        List<Integer> shuffled = new ArrayList<>(indices);
        Collections.shuffle(shuffled, new Random(1));

        EpochDigest one = of(indices.stream().mapToLong(i -> i).toArray());
        EpochDigest other = of(shuffled.stream().mapToLong(i -> i).toArray());

        assertThat(other.content()).isEqualTo(one.content());
        assertThat(other.order().equals(one.order())).isEqualTo(shuffled.equals(indices));
    }

    @Property(tries = 50)
    void content_addsUpOverRanks(@ForAll @IntRange(min = 1, max = 5) int ranks, @ForAll @IntRange(max = 30) int size) {
        List<EpochDigest> digests = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
            int first = rank;
            digests.add(
                    of(LongStream.range(0, size).filter(i -> i % ranks == first).toArray()));
        }

        assertThat(EpochDigest.content(digests))
                .isEqualTo(of(LongStream.range(0, size).toArray()).content());
    }

    @Test
    void content_oneBitFlippedAnywhere_differs() {
        byte[] bytes = new byte[600];
        String before = content(Tensor.ofBytes(bytes.clone()));

        for (int bit = 0; bit < bytes.length * 8; bit += 37) {
            byte[] flipped = bytes.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            assertThat(content(Tensor.ofBytes(flipped))).as("bit %d", bit).isNotEqualTo(before);
        }
    }

    @Test
    void content_sameBytesElsewhere_isTheSame() {
        byte[] bytes = new byte[5_000];
        new Random(3).nextBytes(bytes);
        ByteBuffer direct = ByteBuffer.allocateDirect(5_001).put(1, bytes).position(1);

        assertThat(content(Tensor.of(DType.U8, Shape.of(5_000), direct))).isEqualTo(content(Tensor.ofBytes(bytes)));
    }

    @Test
    void content_otherShapeDtypeIndexOrFieldOrder_differs() {
        Tensor six = Tensor.ofBytes(new byte[6]);
        Tensor one = Tensor.scalar(1);
        Tensor two = Tensor.scalar(2);

        assertThat(List.of(
                        content(six),
                        content(six.reshape(Shape.of(2, 3))),
                        content(six.reshape(Shape.of(3, 2))),
                        content(Tensor.of(DType.I8, Shape.of(6), six.data())),
                        content(Tensor.ofBytes(new byte[0])),
                        content(Tensor.ofBytes(new byte[0], 0, 1)),
                        of(1).content(),
                        of(2).content(),
                        of(List.of(sample(0, 3, new Pair(one, two)))).content(),
                        of(List.of(sample(0, 3, new Pair(two, one)))).content()))
                .doesNotHaveDuplicates();
        assertThat(of(List.of(sample(0, 3, Pair.of(1)))).content())
                .isNotEqualTo(of(List.of(sample(0, 4, Pair.of(1)))).content());
    }

    @Test
    void tap_passesEverythingOnAndCountsWhatHasAValue() {
        StreamDigest<Pair> digest = StreamDigest.of(PAIRS);
        Sample<Pair> first = sample(0, 1, Pair.of(1));
        Sample<Pair> skipped = Sample.absent(new Draw(7, 0, 2, new Position(0, 3)));
        Sample<Pair> later = sample(1, 1, Pair.of(1));

        StepVerifier.create(digest.tap(Flux.just(first, skipped, later)), 0)
                .thenRequest(3)
                .expectNext(first, skipped, later)
                .verifyComplete();

        assertThat(digest.epochs())
                .containsExactly(of(1), new EpochDigest(1, 1, of(1).orderBits(), of(1).contentBits()));
    }

    @Test
    void epochDigest_negative_isRefused() {
        assertThatThrownBy(() -> new EpochDigest(-1, 0, 0, 0))
                .hasMessage("digest must not be negative: epoch -1, 0 samples");
    }
}

package io.penstock.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.lazy.NumberedDataset;
import io.penstock.cache.ram.RamTier;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Join;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import org.junit.jupiter.api.Test;

/** Each side of a join has its own cache. */
class JoinedCachesTest {

    private static final int SAMPLES = 20;
    private static final Schema<Tensor> SCHEMA = Schema.tensor("value");

    private final NumberedDataset left = new NumberedDataset(SAMPLES, index -> 100);
    private final NumberedDataset right = new NumberedDataset(SAMPLES, index -> 40);

    private static int pass(Dataset<Tensor> left, Dataset<Tensor> right) {
        Join byNumber = Join.inner().by(Long::toString, i -> Long.toString(SAMPLES - 1 - i));
        return left.join("bytes", right, byNumber, (a, b) -> a.byteSize() + b.byteSize()).stream(Sampler.sequential())
                .mapNotNull(sample -> sample.value())
                .reduce(0, Integer::sum)
                .block();
    }

    @Test
    void join_ofCachedSides_loadsEachSideOnceAndKeepsTheOtherWhenOneIsForgotten() {
        try (Cache ofLeft = Cache.of(RamTier.ofBytes(1 << 20));
                Cache ofRight = Cache.of(RamTier.ofBytes(1 << 20))) {
            Dataset<Tensor> keptLeft = left.cache(ofLeft, SCHEMA);
            Dataset<Tensor> keptRight = right.cache(ofRight, SCHEMA);

            assertThat(pass(keptLeft, keptRight)).isEqualTo(140 * SAMPLES);
            assertThat(pass(keptLeft, keptRight)).isEqualTo(140 * SAMPLES);
            assertThat(left.loads.get()).isEqualTo(SAMPLES);
            assertThat(right.loads.get()).isEqualTo(SAMPLES);

            for (int i = 0; i < SAMPLES; i++) {
                ofRight.remove(keptRight.id(i).key());
            }
            assertThat(pass(keptLeft, keptRight)).isEqualTo(140 * SAMPLES);
            assertThat(left.loads.get()).isEqualTo(SAMPLES);
            assertThat(right.loads.get()).isEqualTo(2 * SAMPLES);
        }
    }
}

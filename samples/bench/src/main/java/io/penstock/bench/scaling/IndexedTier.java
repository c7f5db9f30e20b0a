package io.penstock.bench.scaling;

import io.penstock.cache.Entry;
import io.penstock.cache.SampleKey;
import io.penstock.cache.Tier;
import io.penstock.cache.ram.RamTier;
import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;

/** A RAM tier that holds many small values, to measure its index. */
final class IndexedTier implements AutoCloseable {

    private static final int VALUE_BYTES = 16;
    private static final long ROOM = 160;
    private static final long SPARE = 16L << 20;
    private static final long STRIDE = 0x9E3779B97F4A7C15L;
    private static final SampleKey DATASET = SampleKey.of("scale");

    private final long samples;
    private final Tier tier;

    private IndexedTier(long samples, Tier tier) {
        this.samples = samples;
        this.tier = tier;
    }

    static IndexedTier of(long samples) {
        Tier tier = RamTier.ofBytes(samples * ROOM + SPARE);
        ByteBuffer value = ByteBuffer.allocate(VALUE_BYTES);
        for (long i = 0; i < samples; i++) {
            value.clear().putLong(0, i);
            tier.put(DATASET.with(i), Encoded.of(value), Entry.UNKNOWN).block();
        }
        if (tier.statistics().samples() != samples) {
            throw new IllegalStateException("the tier holds %d of %d samples"
                    .formatted(tier.statistics().samples(), samples));
        }
        return new IndexedTier(samples, tier);
    }

    /** Nanoseconds a look-up, in pseudorandom order. */
    double nanos(int lookUps) {
        long began = System.nanoTime();
        for (int i = 0; i < lookUps; i++) {
            long index = Long.remainderUnsigned((i + 1) * STRIDE, samples);
            ByteBuffer found = tier.get(DATASET.with(index)).block();
            if (found == null || found.getLong(found.position()) != index) {
                throw new IllegalStateException("the tier returns another value for " + index);
            }
        }
        return (double) (System.nanoTime() - began) / lookUps;
    }

    /** Bytes in addition to the values, as the tier counts them. */
    double bytes() {
        return tier.statistics().bytes() - (double) samples * VALUE_BYTES;
    }

    @Override
    public void close() {
        tier.close();
    }
}

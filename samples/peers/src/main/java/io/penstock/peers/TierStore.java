package io.penstock.peers;

import io.penstock.cache.Entry;
import io.penstock.cache.Put;
import io.penstock.cache.SampleKey;
import io.penstock.cache.Tier;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import java.util.Objects;

/** One of our tiers, key by key. */
record TierStore(Tier tier) implements SampleStore {

    private static final SampleKey DATASET = SampleKey.of("peers");

    @Override
    public void put(long key, ByteBuffer value) {
        ByteBuffer own =
                ByteBuffer.allocate(value.remaining()).put(value.duplicate()).flip(); // kept until written
        Put put = tier.put(DATASET.with(key), Encoded.of(own), Entry.UNKNOWN).block();
        if (put == null || !put.held()) {
            throw new IllegalStateException("the tier is full");
        }
    }

    @Override
    public void settle() {
        if (tier instanceof ChronicleTier disk) {
            disk.flush().block();
        }
    }

    @Override
    public void read(long key, ByteBuffer batch, int at) {
        ByteBuffer value = Objects.requireNonNull(tier.get(DATASET.with(key)).block(), "what was put");
        batch.put(at, value, value.position(), value.remaining());
    }

    @Override
    public void close() {
        tier.close();
    }
}

package io.penstock.bench;

import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.pipeline.SampleKey;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Objects;

/** Ours, asked key by key. */
final class ChronicleStore implements SampleStore {

    private static final SampleKey DATASET = SampleKey.of("peers");

    private final ChronicleTier tier;

    ChronicleStore(Path directory, long bytes) {
        this.tier = ChronicleTier.at(directory).maxBytes(bytes).open();
    }

    @Override
    public String name() {
        return "Penstock, Chronicle tier";
    }

    @Override
    public void put(long key, ByteBuffer value) {
        ByteBuffer own =
                ByteBuffer.allocate(value.remaining()).put(value.duplicate()).flip(); // kept until written
        if (!Objects.requireNonNull(tier.put(DATASET.with(key), own).block())) {
            throw new IllegalStateException("the tier is full");
        }
    }

    @Override
    public void settle() {
        tier.flush().block();
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

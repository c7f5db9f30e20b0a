package io.penstock.cache.slot;

import io.penstock.cache.Entry;
import io.penstock.cache.LendingTier;
import io.penstock.cache.Put;
import io.penstock.cache.SampleKey;
import io.penstock.cache.TierStatistics;
import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Slots as a tier: a key's slot is its sample's index. */
final class SlotTier implements LendingTier {

    private final SlotFile file;
    private final KeyTable keys;
    private final SlotView face;
    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder errors = new LongAdder();

    SlotTier(SlotFile file, KeyTable keys) {
        this.file = file;
        this.keys = keys;
        this.face = new SlotView(file, keys);
    }

    @Override
    public String name() {
        return "slots";
    }

    @Override
    public Mono<ByteBuffer> get(SampleKey key) {
        long slot = keys.slot(key);
        ByteBuffer bytes = slot < 0 ? null : face.copy(slot);
        if (bytes == null) {
            misses.increment();
            return Mono.empty();
        }
        hits.increment();
        return Mono.just(bytes);
    }

    @Override
    public boolean getAll(SampleKey[] keys, @Nullable ByteBuffer[] found) {
        return false;
    }

    @Override
    public boolean lendAll(SampleKey[] keys, @Nullable ByteBuffer[] found) {
        int held = 0;
        for (int i = 0; i < keys.length; i++) {
            long slot = this.keys.slot(keys[i]);
            found[i] = slot < 0 ? null : face.get(slot);
            held += found[i] == null ? 0 : 1;
        }
        hits.add(held);
        misses.add(keys.length - held);
        return true;
    }

    @Override
    public long lost() {
        return face.failed();
    }

    @Override
    public Eviction eviction() {
        return Eviction.NONE;
    }

    @Override
    public Mono<Put> put(SampleKey key, Encoded value, Entry about) {
        return Mono.fromCallable(() -> Put.of(keep(key, value)));
    }

    private boolean keep(SampleKey key, Encoded value) {
        long slot = keys.slot(key);
        if (value.length() > file.header().layout().sampleBytes()) {
            errors.increment();
            throw new IllegalArgumentException(
                    "a slot takes at most %d bytes, was %d; open the slots for larger samples"
                            .formatted(file.header().layout().sampleBytes(), value.length()));
        }
        SlotView.Outcome outcome = slot < 0 ? SlotView.Outcome.REFUSED : face.put(slot, value);
        if (outcome == SlotView.Outcome.REFUSED) {
            refused.increment();
        }
        return outcome == SlotView.Outcome.HELD;
    }

    @Override
    public boolean accepts(SampleKey key, Entry about) {
        long slot = keys.slot(key);
        return slot >= 0 && face.accepts(slot);
    }

    /** The bytes are those of whole slots, with what is kept beside a sample. */
    @Override
    public TierStatistics statistics() {
        long perSlot = file.header().layout().sampleBytes() + (long) SlotFile.SLOT_BYTES;
        long samples = face.samples();
        return new TierStatistics(
                samples,
                samples * perSlot,
                file.header().held() * perSlot,
                hits.sum(),
                misses.sum(),
                refused.sum(),
                0,
                errors.sum() + face.failed());
    }

    /** Takes no more part; the slots stay open for others, and keep what they have. */
    @Override
    public void close() {
        face.close();
    }

    @Override
    public String toString() {
        return "slots, " + file;
    }
}

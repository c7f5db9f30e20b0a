package io.penstock.cache;

import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** A tier that answers on another thread, and no groups. */
public class LaterTier extends TierAround {

    public LaterTier(Tier tier) {
        super(tier);
    }

    @Override
    public String name() {
        return "distant";
    }

    @Override
    public boolean getAll(SampleKey[] keys, @Nullable ByteBuffer[] found) {
        return false;
    }

    @Override
    public Mono<ByteBuffer> get(SampleKey key) {
        return Mono.defer(() -> super.get(key)).subscribeOn(Schedulers.parallel());
    }

    @Override
    public Mono<Put> put(SampleKey key, Encoded value, Entry about) {
        return super.put(key, value, about).subscribeOn(Schedulers.parallel());
    }
}

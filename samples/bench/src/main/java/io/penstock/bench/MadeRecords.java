package io.penstock.bench;

import io.penstock.cache.Fingerprint;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.Tensor;
import java.util.SplittableRandom;
import reactor.core.publisher.Mono;

/** Records of random bytes that are cheap to generate; each begins with its index. */
public final class MadeRecords implements Dataset<Tensor> {

    private static final long SEED = 1;

    private final long size;
    private final byte[] pattern;
    private final Fingerprint fingerprint; // part of every key

    public MadeRecords(long size, int recordBytes) {
        this.size = size;
        this.pattern = new byte[recordBytes];
        new SplittableRandom(SEED).nextBytes(pattern);
        this.fingerprint = Fingerprint.of("made records", Long.toString(size), Integer.toString(recordBytes));
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public Fingerprint fingerprint() {
        return fingerprint;
    }

    @Override
    public Mono<Tensor> get(long index) {
        return Mono.just(at(index));
    }

    Tensor at(long index) {
        byte[] bytes = pattern.clone();
        for (int i = 0; i < Math.min(Long.BYTES, bytes.length); i++) {
            bytes[i] = (byte) (index >>> 8 * i);
        }
        return Tensor.ofBytes(bytes);
    }
}

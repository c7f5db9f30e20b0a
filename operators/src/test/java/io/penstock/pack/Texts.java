package io.penstock.pack;

import io.penstock.cache.Fingerprint;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.Tensor;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicIntegerArray;
import reactor.core.publisher.Mono;

/** Token sequences of given lengths: token t of sequence s is s * 10,000 + t. Counts loads. */
final class Texts implements Dataset<Tensor> {

    static final int EACH = 10_000;

    final AtomicIntegerArray loads;
    private final int[] lengths;

    Texts(int... lengths) {
        this.lengths = lengths;
        this.loads = new AtomicIntegerArray(Math.max(1, lengths.length));
    }

    /** Lengths as texts have them: many short, few long. */
    static int[] lengths(int count, int max, long seed) {
        Random random = new Random(seed);
        int[] lengths = new int[count];
        Arrays.setAll(lengths, i -> (int) Math.min(max, 1 + Math.exp(3.5 + 1.2 * random.nextGaussian())));
        return lengths;
    }

    @Override
    public long size() {
        return lengths.length;
    }

    @Override
    public Fingerprint fingerprint() {
        return Fingerprint.of("texts " + Arrays.hashCode(lengths));
    }

    @Override
    public Mono<Tensor> get(long index) {
        return Mono.fromCallable(() -> {
            loads.incrementAndGet((int) index);
            int[] tokens = new int[lengths[(int) index]];
            Arrays.setAll(tokens, t -> (int) index * EACH + t);
            return Tensor.ofInts(tokens);
        });
    }
}

package io.penstock.digest;

import io.penstock.internal.Thrown;
import io.penstock.stream.Sample;
import io.penstock.tensor.Schema;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import reactor.core.publisher.Flux;

/**
 * Digests of what a stream delivers, an epoch at a time: two runs with the same digests drew the same samples in the
 * same order, with the same bytes.
 * <pre>{@code
 *  StreamDigest<Photo> digest = StreamDigest.of(Schema.of(Photo.class));
 *  digest.tap(pipeline.stream(sampler)).transform(Batches.of(64, …)) …
 *  digest.epoch(0).content()                                            // c0ffee…
 * }</pre>
 *
 * <p>Samples without a value (skipped, padding) do not count. Costs one read of the bytes, about as much as a copy.
 * Thread-safe; the order is that of the calls.
 */
public final class StreamDigest<T> {

    private final Schema<T> schema;
    private final Map<Long, EpochDigest> epochs = new TreeMap<>();

    private StreamDigest(Schema<T> schema) {
        this.schema = schema;
    }

    /** A digest of nothing yet, over the fields of a schema. */
    public static <T> StreamDigest<T> of(Schema<T> schema) {
        return new StreamDigest<>(schema);
    }

    /** The same stream, seen by this digest as it passes. */
    public Flux<Sample<T>> tap(Flux<Sample<T>> samples) {
        return samples.doOnNext(Thrown.consumer(this::observe));
    }

    /** Adds a sample. */
    public void observe(Sample<T> sample) {
        if (!sample.isPresent()) {
            return;
        }
        long index = sample.draw().index();
        long content = SampleHash.of(index, schema.flatten(sample.value()));
        synchronized (epochs) {
            EpochDigest before = epoch(sample.draw().epoch());
            epochs.put(
                    before.epoch(),
                    new EpochDigest(
                            before.epoch(),
                            before.samples() + 1,
                            SampleHash.chain(before.orderBits(), index),
                            before.contentBits() + content));
        }
    }

    /** What an epoch delivered up to now; of no samples, all digits are 0. */
    public EpochDigest epoch(long epoch) {
        synchronized (epochs) {
            EpochDigest digest = epochs.get(epoch);
            return digest == null ? new EpochDigest(epoch, 0, 0, 0) : digest;
        }
    }

    /** Every epoch that delivered something, in order. */
    public List<EpochDigest> epochs() {
        synchronized (epochs) {
            return List.copyOf(epochs.values());
        }
    }
}

package io.penstock.batch;

import io.penstock.cache.Fingerprint;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.ErrorPolicy;
import io.penstock.pipeline.Pipeline;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.time.Duration;
import java.util.Set;
import java.util.function.LongFunction;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Sample i is the number i and two floats made of it; where samples come from, and which are broken, can be chosen. */
final class Points implements Dataset<Points.Point> {

    static final Schema<Point> SCHEMA = Schema.of(Point.class);

    private final long size;
    private final LongFunction<Mono<Point>> answer;

    /** One sample. */
    record Point(long id, Tensor xy) {

        static Point of(long id) {
            return new Point(id, Tensor.ofFloats(new float[] {id, -id}));
        }
    }

    private Points(long size, LongFunction<Mono<Point>> answer) {
        this.size = size;
        this.answer = answer;
    }

    /** On the spot. */
    static Points immediate(long size) {
        return new Points(size, index -> Mono.just(Point.of(index)));
    }

    /** On other threads, after up to a millisecond, in no particular order. */
    static Points jittery(long size) {
        return new Points(
                size,
                index -> Mono.delay(Duration.ofNanos(index * 7_368_787 % 1_000_000))
                        .map(tick -> Point.of(index)));
    }

    /** On threads that may block. */
    static Points blocking(long size) {
        return new Points(
                size, index -> Mono.fromCallable(() -> Point.of(index)).subscribeOn(Schedulers.boundedElastic()));
    }

    static Points answering(long size, LongFunction<Mono<Point>> answer) {
        return new Points(size, answer);
    }

    /** These samples cannot be loaded, and are skipped. */
    Pipeline<Point> skipping(Set<Long> broken) {
        return map("break", point -> {
                    if (broken.contains(point.id())) {
                        throw new IllegalStateException("broken");
                    }
                    return point;
                })
                .onError(ErrorPolicy.skip());
    }

    /** The numbers in a batch, those of padding rows included; 0 where the batch does not know its fields yet. */
    static long[] ids(Batch batch) {
        Tensor ids = batch.tensor("id");
        long[] values = new long[(int) ids.shape().dim(0)];
        for (int row = 0; row < values.length && ids.byteSize() > 0; row++) {
            values[row] = ids.longAt(row);
        }
        return values;
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public Fingerprint fingerprint() {
        return Fingerprint.of("points", Long.toString(size));
    }

    @Override
    public Mono<Point> get(long index) {
        return answer.apply(index);
    }
}

package io.penstock.batch;

import com.sun.management.OperatingSystemMXBean;
import io.penstock.order.Draw;
import io.penstock.order.Draws;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.stream.Sample;
import io.penstock.tensor.DType;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Locale;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * What batching costs beyond the copy: a bare loop that copies the same shuffled samples into one direct buffer, against
 * batches of samples that are at hand, and against the whole stream; one after another in each round.
 *
 * <p>Arguments: rounds. Run it by hand; nothing asserts a time.
 */
public final class BatchesBenchmark {

    private final int bytes;
    private final int n;
    private final int rows;
    private final Tensor[] tensors;
    private static final int EPOCHS = 4; // a subscription's first batch pays for its memory, so one epoch is no epoch

    private BatchesBenchmark(int bytes, int n, long total) {
        this.bytes = bytes;
        this.n = n;
        this.rows = (int) (total / bytes) / n * n;
        this.tensors = new Tensor[rows];
        for (int i = 0; i < rows; i++) {
            ByteBuffer data = ByteBuffer.allocateDirect(bytes);
            data.putInt(0, i);
            tensors[i] = Tensor.of(DType.U8, Shape.of(bytes), data);
        }
    }

    public static void main(String[] args) {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 8;
        new BatchesBenchmark(150_528, 64, 512L << 20).run(rounds);
        new BatchesBenchmark(1_024, 256, 128L << 20).run(rounds);
    }

    private void run(int rounds) {
        Sampler sampler = Sampler.shuffled(42).epochs(EPOCHS);
        Draws draws = sampler.draws(rows);
        int[] order = new int[rows * EPOCHS];
        Sample<?>[] ready = new Sample<?>[order.length];
        for (int i = 0; i < order.length; i++) {
            Draw draw = draws.at(i);
            order[i] = (int) draw.index();
            ready[i] = Sample.of(draw, tensors[order[i]]);
        }
        @SuppressWarnings("unchecked")
        Flux<Sample<Tensor>> atHand = Flux.fromArray((Sample<Tensor>[]) ready);
        ByteBuffer target = ByteBuffer.allocateDirect(n * bytes);
        System.out.printf("%d x %d bytes, batches of %d, best of %d; a sample%n", rows, bytes, n, rounds);
        Cost bare = new Cost();
        Cost batched = new Cost();
        Cost streamed = new Cost();
        for (int round = 0; round < rounds; round++) {
            bare.measure(order.length, () -> copyAll(order, target));
            batched.measure(order.length, () -> consume(atHand));
            streamed.measure(order.length, () -> consume(ready().stream(sampler)));
        }
        System.out.println("  bare copy loop     " + bare.against(bare));
        System.out.println("  batches            " + batched.against(bare));
        System.out.println("  stream and batches " + streamed.against(bare));
    }

    /** The least that a round took, a sample, by the clock and by the processor: the second stands other work on the machine. */
    private static final class Cost {
        private static final OperatingSystemMXBean SYSTEM =
                (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        private double wall = Double.MAX_VALUE;
        private double processor = Double.MAX_VALUE;

        void measure(int samples, Runnable work) {
            long used = SYSTEM.getProcessCpuTime();
            long started = System.nanoTime();
            work.run();
            wall = Math.min(wall, (double) (System.nanoTime() - started) / samples);
            processor = Math.min(processor, (double) (SYSTEM.getProcessCpuTime() - used) / samples);
        }

        String against(Cost limit) {
            return String.format(
                    Locale.ROOT,
                    "%9.1f ns %4.0f %%   processor %9.1f ns %4.0f %%",
                    wall,
                    100 * limit.wall / wall,
                    processor,
                    100 * limit.processor / processor);
        }
    }

    private void copyAll(int[] order, ByteBuffer target) {
        for (int i = 0; i < order.length; i++) {
            tensors[order[i]].copyTo(target, i % n * bytes);
        }
    }

    private void consume(Flux<Sample<Tensor>> samples) {
        samples.transform(Batches.of(n, Schema.tensor("x")).remainder(Remainder.DROP))
                .doOnNext(Batch::close)
                .blockLast();
    }

    /** Every sample at hand, as from a warm tier. */
    private Dataset<Tensor> ready() {
        return new MadeDataset<>("ready", rows, index -> Mono.just(tensors[(int) index]));
    }
}

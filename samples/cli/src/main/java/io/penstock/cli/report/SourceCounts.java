package io.penstock.cli.report;

import io.penstock.batch.Batch;
import io.penstock.cli.source.Cacheable;
import io.penstock.order.Draw;
import io.penstock.stream.Sample;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * How many samples of each source the delivered batches had. Samples are counted on their way into batches, which are
 * cut here as {@code Batches} cuts them: after n draws and with their epoch. So one entry a batch waits for the
 * consumer, and none a sample.
 */
final class SourceCounts {

    private record OfBatch(long epoch, List<Long> samples) {}

    private final int draws;
    private final long[] ends;
    private final Queue<OfBatch> onTheWay = new ConcurrentLinkedQueue<>();
    private final Map<Long, long[]> delivered = new HashMap<>();
    private final long[] inAll;

    // of the batch that is being filled
    private final long[] samples;
    private int drawn;
    private long epoch;

    /**
     * @param parts the sources that lie one after another
     * @param draws that a batch has
     */
    SourceCounts(List<Cacheable.Part> parts, int draws) {
        this.draws = draws;
        this.samples = new long[parts.size()];
        this.inAll = new long[parts.size()];
        this.ends = parts.stream().mapToLong(Cacheable.Part::size).toArray();
        Arrays.parallelPrefix(ends, Long::sum);
    }

    /** Counts a draw that goes into a batch, with a sample or without. Called by one thread at a time. */
    void sample(Sample<?> sample) {
        Draw draw = sample.draw();
        if (draw.epoch() != epoch) {
            cut();
            epoch = draw.epoch();
        }
        if (sample.isPresent()) {
            samples[part(draw.index())]++;
        }
        drawn++;
        if (drawn == draws || draw.endsEpoch()) {
            cut();
        }
    }

    void completed() {
        cut();
    }

    private void cut() {
        if (drawn > 0) {
            onTheWay.add(new OfBatch(epoch, Arrays.stream(samples).boxed().toList()));
            Arrays.fill(samples, 0);
            drawn = 0;
        }
    }

    private int part(long index) {
        int part = 0;
        while (index >= ends[part]) {
            part++;
        }
        return part;
    }

    void batch(Batch batch) {
        OfBatch next = onTheWay.remove();
        while (next.epoch != batch.epoch()) {
            next = onTheWay.remove(); // what an earlier epoch left over was dropped with its last, short batch
        }
        long[] sum = delivered.computeIfAbsent(next.epoch, first -> new long[ends.length]);
        for (int part = 0; part < sum.length; part++) {
            sum[part] += next.samples.get(part);
            inAll[part] += next.samples.get(part);
        }
    }

    List<Long> inAll() {
        return Arrays.stream(inAll).boxed().toList();
    }

    /** The samples of an epoch, by source, which are forgotten then. */
    long[] taken(long ofEpoch) {
        return Objects.requireNonNullElse(delivered.remove(ofEpoch), new long[ends.length]);
    }
}

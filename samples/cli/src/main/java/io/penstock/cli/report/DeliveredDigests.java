package io.penstock.cli.report;

import io.penstock.batch.Batch;
import io.penstock.digest.EpochDigest;
import io.penstock.digest.StreamDigest;
import io.penstock.stream.Sample;
import io.penstock.tensor.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Digests of what was delivered in batches, and of nothing else.
 *
 * <p>Batches are stacked ahead of the consumer, and a run may stop, so digesting the samples on their way into batches
 * would count some that never arrive. They wait here, in order, until the batch that holds them is received; no more do
 * than the ring of batches holds.
 */
public final class DeliveredDigests<T> implements EpochLog.Digesting {

    private final boolean wanted;
    private final Queue<Sample<T>> onTheWay = new ConcurrentLinkedQueue<>();
    private final StreamDigest<T> digest;
    private List<Sample<T>> last = List.of();

    public DeliveredDigests(boolean wanted, Schema<T> schema) {
        this.wanted = wanted;
        this.digest = StreamDigest.of(schema);
    }

    /** Notes a sample that goes into a batch. */
    public void sample(Sample<T> sample) {
        if (sample.isPresent()) {
            onTheWay.add(sample);
        }
    }

    @Override
    public void batch(Batch batch) {
        if (!wanted) {
            return;
        }
        List<Sample<T>> rows = new ArrayList<>(batch.size());
        while (rows.size() < batch.size()) {
            Sample<T> sample = onTheWay.remove();
            // what an earlier epoch left over was dropped with its last, short batch
            if (sample.draw().epoch() == batch.epoch()) {
                digest.observe(sample);
                rows.add(sample);
            }
        }
        last = rows;
    }

    /** The samples of the last batch; none where nobody wants digests. */
    public List<Sample<T>> last() {
        return last;
    }

    @Override
    public EpochReport.@Nullable Digests of(long epoch) {
        EpochDigest counted = digest.epoch(epoch);
        return wanted ? new EpochReport.Digests(counted.orderBits(), counted.contentBits()) : null;
    }
}

package io.penstock.cli.report;

import io.penstock.batch.Batch;
import io.penstock.cli.source.Cacheable;
import io.penstock.cli.source.SampleRows;
import io.penstock.digest.EpochDigest;
import io.penstock.pipeline.RunStatistics;
import io.penstock.stream.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * Digests of what was delivered in batches, and of nothing else, and how many samples of it were of each source.
 *
 * <p>Batches are stacked ahead of the consumer, and a run may stop, so counting the samples on their way into batches
 * would count some that never arrive. Samples to digest wait here, in order, until the batch that holds them is
 * received; no more do than the ring of batches holds. Sources are counted by {@link SourceCounts}.
 */
public final class DeliveredDigests<T> {

    private final boolean wanted;
    private final Queue<Sample<T>> onTheWay = new ConcurrentLinkedQueue<>();
    private final SampleRows<T> rows;
    private final SampleRows.Digest<T> digest;
    private final List<Cacheable.Part> parts;
    private final SourceCounts counts;
    private List<Sample<T>> last = List.of();

    /**
     * @param wanted whether there are to be digests
     * @param parts  the sources that lie one after another; none where there is one
     * @param draws  that a batch has
     */
    public DeliveredDigests(boolean wanted, SampleRows<T> rows, List<Cacheable.Part> parts, int draws) {
        this.wanted = wanted;
        this.rows = rows;
        this.digest = rows.digest();
        this.parts = parts;
        this.counts = new SourceCounts(parts, draws);
    }

    /** Notes the samples that go into batches, where that is needed. */
    public Flux<Sample<T>> noted(Flux<Sample<T>> samples) {
        Flux<Sample<T>> counted =
                parts.isEmpty() ? samples : samples.doOnNext(counts::sample).doOnComplete(counts::completed);
        return wanted ? counted.doOnNext(this::sample) : counted;
    }

    /** Notes a sample to digest that goes into a batch. */
    public void sample(Sample<T> sample) {
        if (sample.isPresent()) {
            onTheWay.add(sample);
        }
    }

    /** Counts the samples of a batch that was received. */
    void batch(Batch batch) {
        if (!parts.isEmpty()) {
            counts.batch(batch);
        }
        if (!wanted) {
            return;
        }
        List<Sample<T>> samples = new ArrayList<>(batch.size());
        int counted = 0;
        while (counted < batch.size()) {
            Sample<T> sample = onTheWay.remove();
            // what an earlier epoch left over was dropped with its last, short batch
            if (sample.draw().epoch() == batch.epoch()) {
                digest.observe().accept(sample);
                samples.add(sample);
                counted += rows.count(sample.value());
            }
        }
        last = samples;
    }

    /** What came of each source in an epoch so far; none where there is one. */
    List<EpochReport.OfSource> sources(long epoch, RunStatistics statistics) {
        long[] samples = counts.taken(epoch);
        return IntStream.range(0, parts.size())
                .mapToObj(part -> new EpochReport.OfSource(
                        parts.get(part).source(),
                        samples[part],
                        statistics.parts().get(part)))
                .toList();
    }

    /** What came of each source in all epochs so far; none where there is one. */
    public List<Long> deliveredInAll() {
        return counts.inAll();
    }

    /** The samples of the last batch; none unless digests are asked for. */
    public List<Sample<T>> last() {
        return last;
    }

    /** The digests of an epoch so far; null unless they are asked for. */
    public EpochReport.@Nullable Digests of(long epoch) {
        EpochDigest counted = digest.epoch().apply(epoch);
        return wanted ? new EpochReport.Digests(counted.orderBits(), counted.contentBits()) : null;
    }
}

package io.penstock.cli.report;

import io.penstock.batch.Batch;
import io.penstock.order.Position;
import io.penstock.pipeline.RunStatistics;
import io.penstock.tensor.Tensor;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * Adds up batches, as they are received, into one report an epoch. An epoch that brings no batch is reported too, so
 * that there is one report for each. Called by one thread at a time.
 */
public final class EpochLog {

    private static final double NANOS = 1e9;

    /** A field of packed rows: the number of a cell's text in its row, 0 where it is padding. */
    private static final String SEGMENTS = "segments";

    /** The texts of a padded batch, and how many tokens each has. */
    private static final String TOKENS = "tokens";

    private static final String LENGTHS = "tokens.length";

    private final LongSupplier clock;
    private final LongFunction<RunStatistics> statistics;
    private final DeliveredDigests<?> digests;
    private final Consumer<EpochReport> reports;
    private final long start;

    private Position position;
    private long epoch;
    private long epochStarted;
    private long lastBatch;
    private long firstBatch;
    private long samples;
    private long batches;
    private long bytes;
    private long tokens;
    private long cells;
    private long consumerNanos;
    private long batchesInAll;
    private long samplesInAll;

    /** @param clock in nanoseconds */
    public EpochLog(
            Position from,
            LongSupplier clock,
            LongFunction<RunStatistics> statistics,
            DeliveredDigests<?> digests,
            Consumer<EpochReport> reports) {
        this.position = from;
        this.epoch = from.epoch();
        this.clock = clock;
        this.statistics = statistics;
        this.digests = digests;
        this.reports = reports;
        this.start = clock.getAsLong();
        this.epochStarted = start;
        this.lastBatch = start;
    }

    public void batch(Batch batch) {
        batch(batch, () -> {});
    }

    /**
     * Counts a batch in, which stays the caller's to close.
     * @param received what else the consumer does with it, before an epoch that it ends is reported
     */
    public void batch(Batch batch, Runnable received) {
        fillTo(batch.epoch());
        lastBatch = clock.getAsLong();
        if (batches == 0) {
            firstBatch = lastBatch;
        }
        batches++;
        batchesInAll++;
        samples += batch.size();
        samplesInAll += batch.size();
        bytes += bytes(batch);
        countTokens(batch);
        digests.batch(batch);
        received.run();
        consumerNanos += clock.getAsLong() - lastBatch;
        position = batch.next();
        if (batch.endsEpoch()) {
            epochEnds();
        }
    }

    /** The whole run has come to its end, after this many epochs counted from 0. */
    public void completed(long epochs) {
        fillTo(epochs);
        if (position.epoch() < epochs) {
            position = new Position(epochs, 0);
        }
    }

    /** The run was stopped: reports the part of an epoch that was seen, if any. */
    public void stopped() {
        if (batches > 0) {
            epochEnds();
        }
    }

    private void fillTo(long next) {
        while (epoch < next) {
            epochEnds();
        }
    }

    private void epochEnds() {
        long first = batches == 0 ? lastBatch : firstBatch;
        RunStatistics counted = statistics.apply(epoch);
        reports.accept(new EpochReport(
                epoch,
                samples,
                batches,
                bytes,
                (lastBatch - epochStarted) / NANOS,
                (first - epochStarted) / NANOS,
                consumerNanos / NANOS,
                counted,
                digests.of(epoch),
                cells == 0 ? null : new EpochReport.Packed(tokens, cells),
                digests.sources(epoch, counted)));
        epoch++;
        epochStarted = lastBatch;
        samples = 0;
        batches = 0;
        bytes = 0;
        tokens = 0;
        cells = 0;
        consumerNanos = 0;
    }

    /** Counts the cells of packed rows that have a segment, or those of padded texts that are within their lengths. */
    private void countTokens(Batch batch) {
        if (batch.names().contains(SEGMENTS)) {
            Tensor segments = batch.tensor(SEGMENTS);
            int all = Math.toIntExact(segments.shape().dim(1) * batch.size());
            tokens += IntStream.range(0, all)
                    .filter(cell -> segments.longAt(cell) > 0)
                    .count();
            cells += all;
        } else if (batch.names().contains(LENGTHS)
                && batch.tensor(TOKENS).shape().rank() == 2) {
            Tensor lengths = batch.tensor(LENGTHS);
            tokens +=
                    IntStream.range(0, batch.size()).mapToLong(lengths::longAt).sum();
            cells += batch.tensor(TOKENS).shape().dim(1) * batch.size();
        }
    }

    /** The valid rows' bytes of all fields that are more than one number a sample. */
    private static long bytes(Batch batch) {
        long sum = 0;
        for (String name : batch.names()) {
            Tensor field = batch.tensor(name);
            if (field.shape().rank() > 1 && field.shape().dim(0) > 0) {
                sum += field.byteSize() / field.shape().dim(0) * batch.size();
            }
        }
        return sum;
    }

    public Position position() {
        return position;
    }

    public long batchesInAll() {
        return batchesInAll;
    }

    public long samplesInAll() {
        return samplesInAll;
    }

    /** From the start to the last batch. */
    public double seconds() {
        return (lastBatch - start) / NANOS;
    }
}

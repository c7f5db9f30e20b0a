package io.penstock.cli.materialize;

import io.penstock.cli.console.Interruption;
import io.penstock.cli.console.ProgressLine;
import io.penstock.cli.flag.OutputFlags;
import io.penstock.order.Shard;
import io.penstock.output.OutputStore;
import io.penstock.write.ShardJob;
import io.penstock.write.Written;
import java.io.Serializable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.LongStream;
import reactor.core.publisher.Mono;

/** Writes one rank's tar shards. */
public final class Sharding<T> {

    private final ShardJob<T> job;
    private final Shard shard;
    private final long[] left;
    private final long finished;
    private final long started = System.nanoTime();
    private final ReentrantLock showing = new ReentrantLock();
    private final AtomicLong seen = new AtomicLong();
    private final AtomicLong written = new AtomicLong();
    private final AtomicLong samples = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();

    /**
     * How far it came.
     *
     * @param shards   of this rank
     * @param finished that were there before
     * @param written  by this run
     * @param samples  in those
     * @param failed   samples left out of those
     * @param bytes    of those
     */
    public record Outcome(
            long shards, long finished, long written, long samples, long failed, long bytes, double seconds)
            implements Serializable {

        /** Of two ranks that worked side by side. */
        public Outcome and(Outcome other) {
            return new Outcome(
                    shards + other.shards,
                    finished + other.finished,
                    written + other.written,
                    samples + other.samples,
                    failed + other.failed,
                    bytes + other.bytes,
                    Math.max(seconds, other.seconds));
        }

        public Outcome in(double wallSeconds) {
            return new Outcome(shards, finished, written, samples, failed, bytes, wallSeconds);
        }

        public int report(OutputFlags flags, String event) {
            flags.print(
                    "%d shards: %d were there, %d written in %.1f s, %d samples, %d bytes; %d samples failed"
                            .formatted(shards, finished, written, seconds, samples, bytes, failed),
                    event,
                    node -> node.put("shards", shards)
                            .put("finished", finished)
                            .put("written", written)
                            .put("samples", samples)
                            .put("failed", failed)
                            .put("bytes", bytes)
                            .put("seconds", seconds));
            return 0;
        }
    }

    public Sharding(ShardJob<T> job, Shard shard) {
        this.job = job;
        this.shard = shard;
        this.left = job.unfinished(shard.rank(), shard.worldSize());
        this.finished = count() - left.length;
    }

    private long count() {
        long shards = job.shards();
        return shards <= shard.rank() ? 0 : (shards - shard.rank() - 1) / shard.worldSize() + 1;
    }

    long samples() {
        return LongStream.of(left).map(job::samples).sum();
    }

    /**
     * Blocks until it has ended.
     * @param output      is closed before a signal ends the process, which throws away what is not finished
     * @param interrupted called after a signal
     * @return false if a signal ended it
     */
    boolean run(ProgressLine progress, OutputStore output, Runnable interrupted) {
        return Interruption.run(
                stop -> write(() -> show(progress)).takeUntilOther(stop), progress, output::close, interrupted);
    }

    /**
     * Does the work.
     * @param eachSample called for each sample that is written, by the threads of two shards at once
     */
    public Mono<Void> write(Runnable eachSample) {
        return job.eachSample(eachSample)
                .run(shard.rank(), shard.worldSize())
                .doOnNext(this::count)
                .then();
    }

    private void count(Written shardFile) {
        written.incrementAndGet();
        samples.addAndGet(shardFile.samples());
        failed.addAndGet(shardFile.absent());
        bytes.addAndGet(shardFile.bytes());
    }

    /** Called by the threads of two shards at once. */
    private void show(ProgressLine progress) {
        long done = seen.incrementAndGet();
        if (showing.tryLock()) {
            try {
                if (progress.isDue()) {
                    progress.show("writing shards", done, "samples", "%d shards were there".formatted(finished));
                }
            } finally {
                showing.unlock();
            }
        }
    }

    public Outcome outcome() {
        return new Outcome(
                count(),
                finished,
                written.get(),
                samples.get(),
                failed.get(),
                bytes.get(),
                (System.nanoTime() - started) / 1e9);
    }
}

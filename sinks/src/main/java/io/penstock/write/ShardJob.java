package io.penstock.write;

import io.penstock.fault.StoreException;
import io.penstock.internal.Arguments;
import io.penstock.internal.GuardedScheduler;
import io.penstock.internal.Thrown;
import io.penstock.order.Draw;
import io.penstock.order.Sampler;
import io.penstock.output.OutputStore;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.ErrorPolicy;
import io.penstock.stream.Execution;
import io.penstock.stream.Sample;
import io.penstock.write.internal.ShardPlan;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Set;
import java.util.stream.LongStream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A dataset written to tar shards by any number of processes, each a part of the work:
 * <pre>{@code
 *  ShardJob.of(dataset, TarWriter.of(schema), Path.of("out"), 1000).run(rank, worldSize).blockLast();
 * }</pre>
 *
 * <p>Shard k has the samples from k · {@code samplesEach}; part p of n writes the shards p, p + n, … A shard that is
 * finished is not written again, so a job that was stopped goes on where it was when it is repeated, with any number of
 * parts; one shard written twice at once is harmless, since both write the same bytes and the name is given at the end.
 * A file {@code materialized.json} beside the shards says what they were made of: a job over other samples, stages or
 * sizes is refused there. Immutable.
 */
public final class ShardJob<T> {

    /** The loads of the next shard fill the gap while one ends. */
    private static final int AT_ONCE = 2;

    private final Dataset<T> dataset;
    private final TarWriter<T> writer;
    private final OutputStore place;
    private final long samplesEach;
    private final ErrorPolicy errors;
    private final Execution execution;
    private final Runnable eachSample;

    private ShardJob(
            Dataset<T> dataset,
            TarWriter<T> writer,
            OutputStore place,
            long samplesEach,
            ErrorPolicy errors,
            Execution execution,
            Runnable eachSample) {
        this.dataset = dataset;
        this.writer = writer;
        this.place = place;
        this.samplesEach = samplesEach;
        this.errors = errors;
        this.execution = execution;
        this.eachSample = eachSample;
    }

    /**
     * A job that fails at the first sample that cannot be loaded.
     * @throws IllegalArgumentException if a shard is to have less than one sample
     */
    public static <T> ShardJob<T> of(Dataset<T> dataset, TarWriter<T> writer, Path folder, long samplesEach) {
        return of(dataset, writer, FolderOutput.making(folder), samplesEach);
    }

    /** As {@link #of(Dataset, TarWriter, Path, long)}, into the prefix of a bucket. */
    public static <T> ShardJob<T> of(Dataset<T> dataset, TarWriter<T> writer, OutputStore place, long samplesEach) {
        Arguments.refuse(samplesEach < 1, "a shard must have at least 1 sample, was %s", samplesEach);
        return new ShardJob<>(dataset, writer, place, samplesEach, ErrorPolicy.fail(), Execution.standard(), () -> {});
    }

    /** What becomes of samples that cannot be loaded; its budget is one of each shard. */
    public ShardJob<T> onError(ErrorPolicy policy) {
        return new ShardJob<>(dataset, writer, place, samplesEach, policy, execution, eachSample);
    }

    /** Other threads, or another number of loads in flight. */
    public ShardJob<T> on(Execution threads) {
        return new ShardJob<>(dataset, writer, place, samplesEach, errors, threads, eachSample);
    }

    /** Something to call for each sample that is done, on the thread that writes it. */
    public ShardJob<T> eachSample(Runnable watcher) {
        return new ShardJob<>(dataset, writer, place, samplesEach, errors, execution, watcher);
    }

    /** How many shards there are when all parts are done. */
    public long shards() {
        return (dataset.size() + samplesEach - 1) / samplesEach;
    }

    /** The samples of a shard. */
    public long samples(long shard) {
        return Math.min(samplesEach, dataset.size() - Objects.checkIndex(shard, shards()) * samplesEach);
    }

    /**
     * The shards of a part that are not there, by one list of the place. Blocks.
     * @throws StoreException if it cannot be listed
     */
    public long[] unfinished(int part, int parts) {
        requirePart(part, parts);
        Set<String> there = place.names();
        return LongStream.iterate(part, shard -> shard < shards(), shard -> shard + parts)
                .filter(shard -> !there.contains(ShardPlan.shard(shard)))
                .toArray();
    }

    private static void requirePart(int part, int parts) {
        Arguments.refuse(parts < 1 || part < 0 || part >= parts, "part must be in [0, %d), was %d", parts, part);
    }

    /**
     * Does one part of the work; emits each shard that this call wrote, in no certain order. Makes the folder if it is
     * missing. Work stops at once on cancel, and unfinished shards are removed.
     * <p>Fails with {@code StoreException} if the folder has another job's shards, or cannot be written.
     * @param part  in [0, parts)
     * @param parts of the whole work
     */
    public Flux<Written> run(int part, int parts) {
        requirePart(part, parts);
        return Mono.fromCallable(Thrown.callable(() -> {
                    claim();
                    return unfinished(part, parts);
                }))
                .flatMapMany(left -> Flux.range(0, left.length).map(at -> left[at]))
                .subscribeOn(GuardedScheduler.ELASTIC)
                .flatMap(this::write, AT_ONCE, 1);
    }

    private Mono<Written> write(long shard) {
        long from = shard * samplesEach;
        Flux<Sample<T>> samples = dataset.slice(from, from + samples(shard)).onError(errors).stream(
                        Sampler.sequential(), execution)
                .map(sample -> at(from, sample))
                .doOnNext(sample -> eachSample.run());
        return samples.as(writer.file(place, ShardPlan.shard(shard)));
    }

    /** Keys are of the whole dataset, not of a shard. */
    private static <T> Sample<T> at(long from, Sample<T> sample) {
        Draw draw = sample.draw().at(from + sample.draw().index());
        return sample.isPresent() ? Sample.of(draw, sample.value()) : Sample.absent(draw);
    }

    private void claim() {
        new ShardPlan(dataset.fingerprint().hex(), dataset.size(), samplesEach).claim(place);
    }
}

package io.penstock.cli.materialize;

import io.penstock.cli.console.Interruption;
import io.penstock.cli.console.ProgressLine;
import io.penstock.cli.flag.OutputFlags;
import io.penstock.cli.source.Cacheable;
import io.penstock.cli.source.KafkaAddress;
import io.penstock.cli.source.TarParts;
import io.penstock.order.Position;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.pipeline.ErrorPolicy;
import io.penstock.stream.Execution;
import io.penstock.stream.Sample;
import io.penstock.write.kafka.KafkaWriter;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Flux;

/**
 * Writes one rank's samples to the topic's partition of the same number, each once. Samples of bytes alone become these
 * bytes, others the form that a cache keeps.
 */
record TopicJob<T>(Cacheable<T> samples, KafkaAddress address, Shard shard) {

    private KafkaWriter<T> writer() {
        Map<String, String> settings = address.settings();
        String data =
                samples.dataset().fingerprint().with(samples.producer().codec()).hex();
        settings.put("transactional.id", "penstock-%s-%d".formatted(data, shard.worldSize()));
        return samples.schema().names().equals(List.of(TarParts.BYTES))
                ? KafkaWriter.of(
                        address.topic(),
                        settings,
                        value -> samples.schema().flatten(value).get(0).toByteArray())
                : KafkaWriter.of(address.topic(), settings, samples.schema());
    }

    /**
     * Blocks until it has ended.
     * @return the exit status
     */
    int run(OutputFlags flags, ProgressLine progress, Execution execution, ErrorPolicy policy) {
        long started = System.nanoTime();
        AtomicLong written = new AtomicLong();
        AtomicLong failed = new AtomicLong();
        Sampler sampler = Sampler.sequential().shard(shard).remainder(Remainder.KEEP);
        long drawn = sampler.draws(samples.dataset().size()).count();
        KafkaWriter<T> writer = writer();
        Position from = Objects.requireNonNull(writer.position(shard.rank()).block());
        boolean done = from.epoch() > 0;
        long already = done ? drawn : from.offset() / shard.worldSize();
        Flux<Sample<T>> rest =
                done ? Flux.empty() : samples.dataset().onError(policy).stream(sampler.resumeAt(from), execution);
        boolean ended = Interruption.run(
                stop -> rest.doOnNext(sample -> (sample.isPresent() ? written : failed).incrementAndGet())
                        .transform(writer.into(shard.rank()))
                        .doOnNext(draws ->
                                progress.show("writing", written.get(), "samples", "%d were there".formatted(already)))
                        .takeUntilOther(stop)
                        .then(),
                progress,
                () -> {},
                () -> flags.complain("interrupted: repeat the command to continue"));
        if (!ended) {
            return Interruption.STATUS;
        }
        double seconds = (System.nanoTime() - started) / 1e9;
        flags.print(
                "%d samples: %d were there, %d written in %.1f s, %d failed"
                        .formatted(drawn, already, written.get(), seconds, failed.get()),
                MaterializeCommand.MATERIALIZED,
                node -> node.put("samples", drawn)
                        .put("already", already)
                        .put("written", written.get())
                        .put("failed", failed.get())
                        .put("seconds", seconds));
        return 0;
    }
}

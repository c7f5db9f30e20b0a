package io.penstock.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.penstock.pipeline.Pipeline;
import io.penstock.pipeline.RunStatistics;
import io.penstock.pipeline.Samples;
import io.penstock.pipeline.StageStatistics;
import io.penstock.stream.LoadsInFlight;
import io.penstock.stream.LoadsInFlight.Bound;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;
import reactor.core.publisher.Flux;

/**
 * The counts of a pipeline, or of a flux behind operators of {@link Samples}, over all epochs since it was made:
 * {@code penstock.samples.loaded} and {@code skipped}, {@code penstock.cache.hits} by {@code tier} and
 * {@code penstock.cache.misses}, and of each {@code stage} the samples and the time, {@code penstock.stage.time}; its
 * {@code kind} is {@code source} where the time is spent waiting for the source, {@code stage} where a worker spends it.
 * Of a pipeline's stream, {@code penstock.loads.in.flight.max}, with what decided it as {@code by}.
 * Of several sources one after another, {@code penstock.source.loaded}, {@code hits} and {@code misses} by
 * {@code source}, which is counted from 0.
 * <pre>{@code
 *  new PipelineMetrics(pipeline).bindTo(registry);
 * }</pre>
 *
 * <p>They are read when the registry asks: binding them costs a sample nothing. A pipeline counts what it did itself;
 * one that another was made from, by {@code map} or {@code cache}, shares its stages. A plain dataset counts nothing:
 * bind what was made of it. The registry does not keep the pipeline or flux alive; a subscription does.
 */
public final class PipelineMetrics implements MeterBinder {

    /** A pipeline, or a flux of samples. The registry keeps it weakly. */
    private final Object counting;

    private final Tags tags;

    /** Of a pipeline with all stages above it. */
    public PipelineMetrics(Pipeline<?> pipeline) {
        this(pipeline, Tags.empty());
    }

    /** The same with further tags, which tell several pipelines apart. */
    public PipelineMetrics(Pipeline<?> pipeline, Tags tags) {
        this.counting = pipeline;
        this.tags = tags;
    }

    /**
     * Of the neighbouring operators of {@link Samples} that end in a flux, over all its subscriptions.
     * @throws IllegalArgumentException if it is not what such an operator returned
     */
    public PipelineMetrics(Flux<?> samples) {
        this(samples, Tags.empty());
    }

    /** The same with further tags. */
    public PipelineMetrics(Flux<?> samples, Tags tags) {
        Samples.statistics(samples); // refuses others
        this.counting = samples;
        this.tags = tags;
    }

    private static RunStatistics statistics(Object counting) {
        return counting instanceof Pipeline<?> pipeline
                ? pipeline.statistics()
                : Samples.statistics((Flux<?>) counting);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        RunStatistics now = statistics(counting);
        counter(registry, "penstock.samples.loaded", tags, "samples loaded at the source", RunStatistics::loads);
        counter(registry, "penstock.samples.skipped", tags, "samples left out after a failure", RunStatistics::skipped);
        if (!now.hits().isEmpty()) {
            counter(registry, "penstock.cache.misses", tags, "look-ups that no tier answered", RunStatistics::misses);
        }
        for (String tier : now.hits().keySet()) {
            counter(
                    registry,
                    "penstock.cache.hits",
                    tags.and("tier", tier),
                    "look-ups that a tier answered",
                    run -> run.hits().getOrDefault(tier, 0L));
        }
        for (int part = 0; part < now.parts().size(); part++) {
            source(registry, part, now.parts().get(part).hits().keySet());
        }
        if (counting instanceof Pipeline<?>) {
            for (Bound bound : Bound.values()) {
                Gauge.builder("penstock.loads.in.flight.max", counting, run -> loads((Pipeline<?>) run, bound))
                        .tags(tags.and("by", bound.name().toLowerCase(Locale.ROOT)))
                        .description(
                                "loads that a stream begins at most before it delivers one; 0 unless this decided it")
                        .register(registry);
            }
        }
        List<StageStatistics> stages = now.stages();
        List<String> names =
                Names.distinct(stages.stream().map(StageStatistics::name).toList());
        for (int i = 0; i < names.size(); i++) {
            String kind = stages.get(i).kind().name().toLowerCase(Locale.ROOT);
            stage(registry, tags.and("stage", names.get(i), "kind", kind), i);
        }
    }

    private static int loads(Pipeline<?> pipeline, Bound bound) {
        LoadsInFlight now = pipeline.loadsInFlight();
        return now.by() == bound ? now.max() : 0;
    }

    private void source(MeterRegistry registry, int part, Set<String> tiers) {
        Tags source = tags.and("source", Integer.toString(part));
        counter(
                registry,
                "penstock.source.loaded",
                source,
                "samples loaded at a source of several",
                run -> run.parts().get(part).loads());
        if (!tiers.isEmpty()) {
            counter(
                    registry,
                    "penstock.source.misses",
                    source,
                    "look-ups of a source's samples that no tier answered",
                    run -> run.parts().get(part).misses());
        }
        for (String tier : tiers) {
            counter(
                    registry,
                    "penstock.source.hits",
                    source.and("tier", tier),
                    "look-ups of a source's samples that a tier answered",
                    run -> run.parts().get(part).hits().getOrDefault(tier, 0L));
        }
    }

    private void counter(
            MeterRegistry registry,
            String name,
            Tags counted,
            String description,
            ToLongFunction<RunStatistics> count) {
        FunctionCounter.builder(name, counting, run -> count.applyAsLong(statistics(run)))
                .tags(counted)
                .description(description)
                .register(registry);
    }

    private void stage(MeterRegistry registry, Tags staged, int number) {
        // extrapolated from a part of the samples, it may fall by a little, which a counter must not
        AtomicLong highest = new AtomicLong();
        FunctionTimer.builder(
                        "penstock.stage.time",
                        counting,
                        run -> statistics(run).stages().get(number).samples(),
                        run -> highest.accumulateAndGet(
                                statistics(run).stages().get(number).time().toNanos(), Math::max),
                        TimeUnit.NANOSECONDS)
                .tags(staged)
                .description("samples that went through a stage, and what they took")
                .register(registry);
    }
}

package io.penstock.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.penstock.cache.Cache;
import io.penstock.cache.SampleKey;
import io.penstock.cache.Tier;
import io.penstock.cache.TierObserver;
import io.penstock.cache.TierStatistics;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * What the tiers of a cache count, each by itself: {@code penstock.tier.hits}, {@code misses}, {@code refused},
 * {@code evictions} and {@code errors}, which only grow, and {@code samples}, {@code bytes} and {@code capacity} as
 * they are, tagged with the level's name as {@code tier}.
 * <pre>{@code
 *  new TierMetrics(cache).bindTo(registry);
 * }</pre>
 *
 * <p>They are read when the registry asks. Nothing is counted that the tier does not count anyway, so binding them
 * costs a look-up nothing; {@link #timed} has the one thing that does cost, latency. The registry does not keep the
 * tiers alive.
 */
public final class TierMetrics implements MeterBinder {

    private final List<Tier> levels;
    private final Tags tags;

    /** Of all tiers of a cache. */
    public TierMetrics(Cache cache) {
        this(cache, Tags.empty());
    }

    /** The same with further tags, which tell several tiers of one name apart. */
    public TierMetrics(Cache cache, Tags tags) {
        this.levels = cache.tiers();
        this.tags = tags;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        List<String> names = Names.distinct(levels.stream().map(Tier::name).toList());
        for (int i = 0; i < names.size(); i++) {
            bind(registry, levels.get(i), tags.and("tier", names.get(i)));
        }
    }

    private static void bind(MeterRegistry registry, Tier tier, Tags tags) {
        counter(registry, tier, tags, "hits", "look-ups answered with a sample", TierStatistics::hits);
        counter(registry, tier, tags, "misses", "look-ups answered with nothing", TierStatistics::misses);
        counter(registry, tier, tags, "refused", "samples that did not fit", TierStatistics::refused);
        counter(registry, tier, tags, "evictions", "samples given up for others", TierStatistics::evicted);
        counter(registry, tier, tags, "errors", "damaged samples, failed reads and writes", TierStatistics::errors);
        Gauge.builder("penstock.tier.samples", tier, level -> level.statistics().samples())
                .tags(tags)
                .description("samples held")
                .register(registry);
        gauge(registry, tier, tags, "bytes", "bytes held, with what is kept beside the samples", TierStatistics::bytes);
        gauge(registry, tier, tags, "capacity", "bytes it may hold", TierStatistics::capacity);
    }

    private static void counter(
            MeterRegistry registry,
            Tier tier,
            Tags tags,
            String name,
            String description,
            ToLongFunction<TierStatistics> count) {
        FunctionCounter.builder("penstock.tier." + name, tier, level -> count.applyAsLong(level.statistics()))
                .tags(tags)
                .description(description)
                .register(registry);
    }

    private static void gauge(
            MeterRegistry registry,
            Tier tier,
            Tags tags,
            String name,
            String description,
            ToLongFunction<TierStatistics> value) {
        Gauge.builder("penstock.tier." + name, tier, level -> value.applyAsLong(level.statistics()))
                .tags(tags)
                .description(description)
                .baseUnit("bytes")
                .register(registry);
    }

    /**
     * The same cache, with one look-up and one put in 64 of each tier timed, chosen by the key:
     * {@code penstock.tier.get} with {@code result} {@code hit} or {@code miss}, and {@code penstock.tier.put}.
     */
    public static Cache timed(Cache cache, MeterRegistry registry) {
        return cache.observedBy(new Latency(cache, registry));
    }

    /** Keys are well mixed, so a few of their bits choose as fairly as dice do. */
    private static final class Latency implements TierObserver {

        private static final long ONE_IN = 64;

        private final Timer[] hits;
        private final Timer[] misses;
        private final Timer[] puts;

        Latency(Cache cache, MeterRegistry registry) {
            List<String> names =
                    Names.distinct(cache.tiers().stream().map(Tier::name).toList());
            this.hits = timers(names, name -> get(name, "hit").register(registry));
            this.misses = timers(names, name -> get(name, "miss").register(registry));
            this.puts = timers(
                    names,
                    name -> Timer.builder("penstock.tier.put")
                            .tag("tier", name)
                            .description("how long a put takes, of one in 64")
                            .register(registry));
        }

        private static Timer[] timers(List<String> names, Function<String, Timer> timer) {
            return names.stream().map(timer).toArray(Timer[]::new);
        }

        private static Timer.Builder get(String name, String result) {
            return Timer.builder("penstock.tier.get")
                    .tag("tier", name)
                    .tag("result", result)
                    .description("how long a look-up takes, of one in 64");
        }

        @Override
        public boolean times(SampleKey key) {
            return (key.low() & ONE_IN - 1) == 0;
        }

        @Override
        public void got(int tier, boolean hit, long nanos) {
            (hit ? hits : misses)[tier].record(nanos, TimeUnit.NANOSECONDS);
        }

        @Override
        public void put(int tier, long nanos) {
            puts[tier].record(nanos, TimeUnit.NANOSECONDS);
        }
    }
}

package io.penstock.cli.flag;

import io.penstock.cache.Cache;
import io.penstock.cache.lazy.LazyShard;
import io.penstock.order.Topology;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.TypeConversionException;

/**
 * A shard as large as the cache, as {@code --lazy-shard} says it: {@code rank}, {@code node} or {@code disk}, then
 * {@code overflow=0.1}, {@code min=1000} and {@code agree=DIR} as wanted, the last one last.
 *
 * @param owner    who has a shard of its own: {@code rank}, {@code node} or {@code disk}
 * @param overflow by which share it may be larger than the cache
 * @param min      samples at least
 * @param agree    where ranks agree on its size, null where all have as much
 */
public record LazySpec(
        String owner, double overflow, long min, @Nullable Path agree) {

    private static final String FORM =
            "rank, node or disk was expected, optionally with ,overflow=0.1 ,min=1000 and ,agree=DIR, was \"%s\"";

    private static final Map<String, Function<Topology, LazyShard>> OWNERS =
            Map.of("rank", LazyShard::ofRanks, "node", LazyShard::ofNodes, "disk", LazyShard::ofDisks);

    /** A shard and how many samples an epoch of all ranks has. */
    public record Sized(LazyShard shard, long samples) {}

    public static LazySpec parse(String text) {
        String agreement = ",agree=";
        int at = text.indexOf(agreement);
        String[] parts = (at < 0 ? text : text.substring(0, at)).split(",", -1);
        Path agree = at < 0 ? null : Path.of(text.substring(at + agreement.length()));
        double overflow = 0;
        long min = 0;
        try {
            for (int i = 1; i < parts.length; i++) {
                String[] option = parts[i].split("=", 2);
                switch (option[0]) {
                    case "overflow" -> overflow = new NumberFlag.Overflow().convert(option[1]);
                    case "min" -> min = new NumberFlag.Index().convert(option[1]);
                    default -> throw new IllegalArgumentException(FORM.formatted(text));
                }
            }
        } catch (TypeConversionException e) {
            throw new IllegalArgumentException(text + ": " + e.getMessage(), e);
        } catch (ArrayIndexOutOfBoundsException e) {
            throw new IllegalArgumentException(FORM.formatted(text), e);
        }
        if (!OWNERS.containsKey(parts[0])) {
            throw new IllegalArgumentException(FORM.formatted(text));
        }
        return new LazySpec(parts[0], overflow, min, agree);
    }

    /**
     * The shard that this rank's cache holds. Waits for the other ranks where they are to agree.
     * @param cache that was opened, whose tiers say how much they hold
     * @param fixed whether the cache's size was said in bytes, so that all ranks have as much
     * @throws IllegalArgumentException if there is no cache, or it holds too little, or ranks may not have as much and
     *     are not to agree
     */
    public Sized sized(Topology topology, @Nullable Cache cache, boolean fixed, long size, long sampleBytes) {
        if (cache == null) {
            throw new IllegalArgumentException("--lazy-shard needs a cache to fit into: --cache-ram or --cache-disk");
        }
        LazyShard shard = owned(topology);
        if (agree == null && !fixed && shard.shards() > 1) {
            throw new IllegalArgumentException(
                    "what is free differs from machine to machine, and shards of different sizes would overlap: "
                            + "give --cache-ram "
                            + "and --cache-disk in bytes, or let ranks agree with --lazy-shard ,agree=DIR, a "
                            + "folder that all see");
        }
        shard = shard.memoryBytes(capacity(cache, "ram"))
                .diskBytes(capacity(cache, "disk"))
                .overflow(overflow)
                .minElements(min);
        Long agreed =
                agree == null ? null : shard.agree(agree, size, sampleBytes).block();
        return new Sized(shard, agreed == null ? shard.samples(size, sampleBytes) : agreed);
    }

    private LazyShard owned(Topology topology) {
        try {
            return Objects.requireNonNull(OWNERS.get(owner)).apply(topology);
        } catch (IllegalStateException e) {
            throw new IllegalArgumentException("--lazy-shard node and disk need --local-world: " + e.getMessage(), e);
        }
    }

    private static long capacity(Cache cache, String level) {
        return cache.tiers().stream()
                .filter(tier -> tier.name().equals(level))
                .mapToLong(tier -> tier.statistics().capacity())
                .sum();
    }
}

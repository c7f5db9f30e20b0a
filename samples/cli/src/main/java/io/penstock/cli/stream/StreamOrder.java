package io.penstock.cli.stream;

import io.penstock.cli.console.Reason;
import io.penstock.cli.flag.LazySpec;
import io.penstock.cli.flag.MixtureEnd;
import io.penstock.cli.flag.RankFlags;
import io.penstock.cli.source.Cacheable;
import io.penstock.fault.StoreException;
import io.penstock.order.Proportions;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.order.ShardMode;
import io.penstock.order.Topology;
import io.penstock.order.Topology.Place;
import io.penstock.pipeline.Pipeline;
import io.penstock.resume.ResumeToken;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What flags, environment and resume token say of order, ranks and the place to begin at. */
final class StreamOrder {

    private static final long DEFAULT_SEED = 42;

    private final StreamOptions options;
    private final Topology topology;
    private final @Nullable ResumeToken token;

    private StreamOrder(StreamOptions options, Topology topology, @Nullable ResumeToken token) {
        this.options = options;
        this.topology = topology;
        this.token = token;
    }

    /**
     * Reads environment and token; a broken one is said before a large folder is listed.
     * @throws IllegalArgumentException if the flags do not fit together, or the token is none
     */
    static StreamOrder of(StreamOptions options) {
        if (options.noShuffle() && options.window() != null) {
            throw new IllegalArgumentException("--no-shuffle and --window exclude each other");
        }
        if (options.interleave() != null && options.window() == null) {
            throw new IllegalArgumentException(
                    "--interleave needs --window: it says how many windows are open at a time");
        }
        List<Double> weights = options.weights();
        if (weights != null && weights.size() != options.sources().size()) {
            throw new IllegalArgumentException("--weights needs one weight for each --source: %d for %d"
                    .formatted(weights.size(), options.sources().size()));
        }
        if (weights == null && options.stop() != null) {
            throw new IllegalArgumentException("--stop needs --weights: it says when an epoch of a mixture ends");
        }
        if (options.lazyShard() != null && options.shard() != null) {
            throw new IllegalArgumentException("--shard and --lazy-shard exclude each other: a lazy shard is stable");
        }
        return new StreamOrder(options, topology(options), token(options));
    }

    private static Topology topology(StreamOptions options) {
        Integer rank = options.rank();
        Integer world = options.world();
        Integer local = options.localWorld();
        if (rank == null && world == null) {
            if (local != null) {
                throw new IllegalArgumentException("--local-world needs --rank and --world");
            }
            return Topology.fromEnvironment();
        }
        Shard shard = RankFlags.of(rank, world);
        return local == null ? Topology.of(shard) : onNodes(shard, local);
    }

    private static Topology onNodes(Shard shard, int local) {
        int world = shard.worldSize();
        if (world % local != 0) {
            throw new IllegalArgumentException(
                    "--local-world must divide --world %d, was %d; start uneven nodes with torchrun or srun"
                            .formatted(world, local));
        }
        return Topology.of(shard, new Place(shard.rank() / local, world / local, shard.rank() % local, local));
    }

    private static @Nullable ResumeToken token(StreamOptions options) {
        String text = options.resume();
        Path file = options.resumeFile();
        if (text != null) {
            return text.startsWith("@") ? load(Path.of(text.substring(1))) : ResumeToken.parse(text);
        }
        return file != null && Files.exists(file) ? load(file) : null;
    }

    private static ResumeToken load(Path file) {
        try {
            return ResumeToken.load(file);
        } catch (StoreException e) {
            throw new IllegalArgumentException(
                    "cannot read the resume token: " + Reason.of(e.getCause() == null ? e : e.getCause()), e);
        }
    }

    Topology topology() {
        return topology;
    }

    /**
     * The order of a pipeline's draws, from where the token says.
     * @param lazy the shard to draw from, if it is only a part of the data
     * @throws IllegalArgumentException if the token is another plan's
     */
    Sampler sampler(Pipeline<?> pipeline, List<Cacheable.Part> parts, LazySpec.@Nullable Sized lazy) {
        Sampler order = mixed(order(options), parts)
                .epochs(options.epochs())
                .shard(topology.shard())
                .remainder(remainder())
                .seed(seed());
        if (lazy != null) {
            Sampler part = lazy.shard().apply(order, lazy.samples());
            return token == null ? part : token.resume(inMidEpoch() ? part.mode(token.mode()) : part, pipeline);
        }
        ShardMode mode = options.shard();
        if (token == null) {
            return mode == null ? order : order.mode(mode);
        }
        return token.resume(order.mode(Objects.requireNonNullElse(mode, token.mode())), pipeline);
    }

    /** Groups that do not divide over the ranks leave some of them a batch without rows, so that ranks keep step. */
    private Remainder remainder() {
        return PlannedBatches.flag(options) != null && options.remainder() == Remainder.KEEP
                ? Remainder.PAD
                : options.remainder();
    }

    /** Where partitions stay what they were, also with other ranks. */
    private boolean inMidEpoch() {
        return token != null && token.position().offset() > 0;
    }

    private long seed() {
        Long seed = options.seed();
        return seed != null ? seed : token != null ? token.seed() : DEFAULT_SEED;
    }

    /** Draws from several sources by their weights, if the flags say some. */
    private Sampler mixed(Sampler order, List<Cacheable.Part> parts) {
        List<Double> weights = options.weights();
        if (weights == null || parts.isEmpty()) {
            return order;
        }
        Proportions proportions = Proportions.of(parts.get(0).size(), weights.get(0));
        for (int part = 1; part < weights.size(); part++) {
            proportions = proportions.and(parts.get(part).size(), weights.get(part));
        }
        MixtureEnd stop = options.stop();
        return order.mixed(stop == null ? proportions : stop.end().apply(proportions));
    }

    private static Sampler windowed(int window, @Nullable Integer interleaved) {
        return interleaved == null
                ? Sampler.windowed(DEFAULT_SEED, window)
                : Sampler.windowed(DEFAULT_SEED, window, interleaved);
    }

    private static Sampler order(StreamOptions options) {
        return options.noShuffle()
                ? Sampler.sequential()
                : options.window() == null
                        ? Sampler.shuffled(DEFAULT_SEED)
                        : windowed(options.window(), options.interleave());
    }
}

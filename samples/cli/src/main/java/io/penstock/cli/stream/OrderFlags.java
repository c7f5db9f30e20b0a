package io.penstock.cli.stream;

import io.penstock.cli.console.Reason;
import io.penstock.cli.flag.Flags.Between;
import io.penstock.cli.flag.LazySpec;
import io.penstock.cli.flag.MixtureEnd;
import io.penstock.cli.flag.NumberFlag;
import io.penstock.cli.flag.RankFlags;
import io.penstock.cli.flag.WeightChanges;
import io.penstock.cli.source.Cacheable;
import io.penstock.fault.StoreException;
import io.penstock.internal.Arguments;
import io.penstock.order.Proportions;
import io.penstock.order.Sampler;
import io.penstock.order.ShardMode;
import io.penstock.pipeline.Pipeline;
import io.penstock.resume.ResumeToken;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The flags for the order of samples, the ranks that share it, and the place to begin at. */
final class OrderFlags {

    private static final long DEFAULT_SEED = 42;

    @Option(names = "--weights", paramLabel = "A,B,…", split = ",", converter = NumberFlag.Weight.class)
    private @Nullable List<Double> weights;

    @Option(names = "--weights-at", paramLabel = "D:A,B;…")
    private @Nullable WeightChanges weightsAt;

    @Option(names = "--weights-between", paramLabel = "step|line")
    private @Nullable Between weightsBetween;

    @Option(names = "--stop", paramLabel = "first|all|N")
    private @Nullable MixtureEnd stop;

    @Option(names = "--no-shuffle")
    private boolean noShuffle;

    @Option(names = "--window", paramLabel = "N", converter = NumberFlag.Count.class)
    private @Nullable Integer window;

    @Option(names = "--interleave", paramLabel = "K", converter = NumberFlag.Windows.class)
    private @Nullable Integer interleave;

    @Option(names = "--epochs", paramLabel = "N", defaultValue = "1", converter = NumberFlag.Count.class)
    private Integer epochs = 1;

    @Option(names = "--seed", paramLabel = "N", converter = NumberFlag.Seed.class)
    private @Nullable Long seed;

    @Mixin
    final RankFlags ranks = new RankFlags();

    @Option(names = "--local-world", paramLabel = "L", converter = NumberFlag.Members.class)
    @Nullable Integer localWorld;

    @Option(names = "--shard", paramLabel = "MODE")
    private @Nullable ShardMode shard;

    @Option(names = "--lazy-shard", paramLabel = "rank|node|disk")
    @Nullable LazySpec lazyShard;

    @Option(names = "--resume", paramLabel = "TOKEN")
    @Nullable String resume;

    @Option(names = "--resume-file", paramLabel = "FILE")
    @Nullable Path resumeFile;

    void check(int sources) {
        Arguments.refuse(noShuffle && window != null, "--no-shuffle and --window exclude each other");
        Arguments.refuse(
                interleave != null && window == null,
                "--interleave needs --window: it says how many windows are open at a time");
        if (weights != null) {
            Arguments.refuse(
                    weights.size() != sources,
                    "--weights needs one weight for each --source: %d for %d",
                    weights.size(),
                    sources);
            Arguments.refuse(
                    weightsAt != null, "--weights and --weights-at exclude each other: the latter has the first");
        }
        if (weightsAt != null) {
            weightsAt.requireSources(sources);
        }
        Arguments.refuse(
                weightsBetween != null && weightsAt == null,
                "--weights-between needs --weights-at: it says what weights do between its draws");
        Arguments.refuse(!isMixed() && stop != null, "--stop needs --weights: it says when an epoch of a mixture ends");
        Arguments.refuse(
                lazyShard != null && shard != null,
                "--shard and --lazy-shard exclude each other: a lazy shard is stable");
    }

    boolean isMixed() {
        return weights != null || weightsAt != null;
    }

    /** Where to begin; null at the start. */
    @Nullable ResumeToken token() {
        if (resume != null) {
            return resume.startsWith("@") ? load(Path.of(resume.substring(1))) : ResumeToken.parse(resume);
        }
        return resumeFile != null && Files.exists(resumeFile) ? load(resumeFile) : null;
    }

    private static ResumeToken load(Path file) {
        try {
            return ResumeToken.load(file);
        } catch (StoreException e) {
            throw new IllegalArgumentException(
                    "cannot read the resume token: " + Reason.of(e.getCause() == null ? e : e.getCause()), e);
        }
    }

    /** Draws from a whole data set, or from several by their weights, if the flags say some. */
    Sampler draws(List<Cacheable.Part> parts) {
        Sampler order = noShuffle
                ? Sampler.sequential()
                : window == null
                        ? Sampler.shuffled(DEFAULT_SEED)
                        : interleave == null
                                ? Sampler.windowed(DEFAULT_SEED, window)
                                : Sampler.windowed(DEFAULT_SEED, window, interleave);
        return !isMixed() || parts.isEmpty() ? order : order.mixed(proportions(parts));
    }

    private Proportions proportions(List<Cacheable.Part> parts) {
        Proportions proportions = Proportions.of(parts.get(0).size(), weight(0));
        for (int part = 1; part < parts.size(); part++) {
            proportions = proportions.and(parts.get(part).size(), weight(part));
        }
        if (weightsAt != null) {
            proportions = weightsAt.apply(proportions);
        }
        if (weightsBetween == Between.LINE) {
            proportions = proportions.lines();
        }
        return stop == null ? proportions : stop.end().apply(proportions);
    }

    private double weight(int part) {
        return weights == null ? 1 : weights.get(part);
    }

    /**
     * The order of a run over a pipeline, from where the token says.
     * @param draws with their shard and remainder
     * @param lazy  the shard to draw from, if it is only a part of the data
     * @throws IllegalArgumentException if the token is another plan's
     */
    Sampler sampler(Pipeline<?> pipeline, Sampler draws, LazySpec.@Nullable Sized lazy, @Nullable ResumeToken token) {
        Sampler order = draws.epochs(epochs).seed(seed != null ? seed : token != null ? token.seed() : DEFAULT_SEED);
        if (lazy != null) {
            Sampler part = lazy.shard().apply(order, lazy.samples());
            // in an epoch partitions stay what they were, also with other ranks
            return token == null
                    ? part
                    : token.resume(token.position().offset() > 0 ? part.mode(token.mode()) : part, pipeline);
        }
        if (token == null) {
            return shard == null ? order : order.mode(shard);
        }
        return token.resume(order.mode(Objects.requireNonNullElse(shard, token.mode())), pipeline);
    }
}

package io.penstock.train;

import ai.djl.engine.Engine;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.augment.Augment;
import io.penstock.augment.AugmentSpec;
import io.penstock.augment.Normalise;
import io.penstock.cache.Cache;
import io.penstock.cache.ram.RamTier;
import io.penstock.cli.AddedCommand;
import io.penstock.cli.console.Interruption;
import io.penstock.cli.console.Output;
import io.penstock.cli.console.Reason;
import io.penstock.cli.console.TemporaryFolder;
import io.penstock.cli.flag.ByteSize;
import io.penstock.cli.flag.RankFlags;
import io.penstock.cli.source.MaterializedShards;
import io.penstock.cli.source.StorePlace;
import io.penstock.order.Shard;
import io.penstock.pictures.PictureFolder;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code penstock train}. */
@Command(
        name = "train",
        sortOptions = false,
        abbreviateSynopsis = true,
        usageHelpWidth = 100,
        description = "Train a small convolutional network on labelled pictures, with DJL on PyTorch, and test it on a "
                + "tenth of them that is held back.")
public final class TrainCommand implements AddedCommand {

    private static final String HEAD = "epoch   samples  seconds  samples/s   waiting      loss  accuracy      test";
    private static final String SHARDS = "tar:";
    private static final Normalise NORMALISE = Normalise.of(new double[] {0.5}, new double[] {0.25});

    @Mixin
    private final TrainFlags flags = new TrainFlags();

    @Mixin
    private final RankFlags ranks = new RankFlags();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private boolean headed;

    @Override
    public Integer call() {
        Shard shard;
        try {
            shard = ranks.shard();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), Reason.of(e), e);
        }
        if (flags.saveEvery != null && flags.checkpoint == null) {
            throw new ParameterException(spec.commandLine(), "--save-every needs --checkpoint");
        }
        if (flags.data != null) {
            return train(flags.data, shard);
        }
        if (shard.worldSize() > 1 || flags.checkpoint != null) {
            throw new ParameterException(
                    spec.commandLine(),
                    "pictures made for one run are gone with it: several ranks and --checkpoint need --data");
        }
        try (TemporaryFolder folder = TemporaryFolder.make("penstock-train-")) {
            PictureFolder.write(List.of(folder.path()), flags.images, folder::isGivenUp)
                    .blockLast();
            return folder.isGivenUp()
                    ? Interruption.STATUS
                    : train(folder.path().toString(), shard);
        }
    }

    private LabelledPictures open(String place, Cache cache) {
        return place.startsWith(SHARDS)
                ? ShardPictures.open(
                        Path.of(MaterializedShards.in(new StorePlace(place.substring(SHARDS.length())))
                                .text()),
                        flags.resize,
                        cache)
                : LabelledPictures.open(Path.of(place), flags.resize, cache);
    }

    private int train(String place, Shard shard) {
        try (Cache cache = cache()) {
            LabelledPictures data = open(place, cache);
            TrainingPlan plan = new TrainingPlan(
                    augment(data), NORMALISE, flags.batch, flags.epochs, flags.seed, flags.rate, shard);
            Training.Saving saving =
                    new Training.Saving(flags.checkpoint, flags.saveEvery == null ? 0 : flags.saveEvery);
            Engine engine = PyTorch.load(flags.threads);
            try (Interruption interruption = Interruption.watch(this::lastWord);
                    Training training = Training.open(data, plan, saving, this::report, engine, flags.port)) {
                long started = System.nanoTime();
                training.run(interruption.stop(), flags.stopAfter == null ? Long.MAX_VALUE : flags.stopAfter);
                if (interruption.ended()) {
                    return Interruption.STATUS;
                }
                done(training, (System.nanoTime() - started) / 1e9);
                return 0;
            }
        }
    }

    private Cache cache() {
        ByteSize size = flags.cacheRam;
        RamTier ram = size.isShare() ? RamTier.ofFreeShare(size.share()) : RamTier.ofBytes(size.bytes());
        if (flags.cacheDisk == null) {
            return Cache.of(ram);
        }
        try {
            return Cache.of(ram, flags.cacheDisk.open());
        } catch (RuntimeException e) {
            ram.close();
            throw e;
        }
    }

    private Augment augment(LabelledPictures data) {
        String words = flags.augment == null ? "crop=%d:pad=2".formatted(data.size()) : flags.augment;
        try {
            Augment augment = words.isBlank() ? Augment.whole() : AugmentSpec.parse(words);
            return augment.normalise(NORMALISE);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--augment: " + Reason.of(e), e);
        }
    }

    private void report(TrainingEpoch epoch) {
        Output out = new Output(spec.commandLine().getOut());
        if (flags.json) {
            out.line(json(epoch).toString());
            return;
        }
        if (!headed) {
            out.line(HEAD);
            headed = true;
        }
        out.line(String.format(
                Locale.ROOT,
                "%5d %9d %8.2f %10.0f %7.2f %% %9.4f %9.4f %9.4f",
                epoch.epoch(),
                epoch.samples(),
                epoch.seconds(),
                epoch.samplesPerSecond(),
                100 * epoch.waitingShare(),
                epoch.loss(),
                epoch.accuracy(),
                epoch.testAccuracy()));
    }

    private static ObjectNode json(TrainingEpoch epoch) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("event", "epoch")
                .put("epoch", epoch.epoch())
                .put("samples", epoch.samples())
                .put("seconds", epoch.seconds())
                .put("samples_per_second", epoch.samplesPerSecond())
                .put("waiting_share", epoch.waitingShare())
                .put("loss", epoch.loss())
                .put("accuracy", epoch.accuracy())
                .put("test_accuracy", epoch.testAccuracy())
                .put("loads", epoch.loads());
    }

    private void done(Training training, double seconds) {
        Output out = new Output(spec.commandLine().getOut());
        String digest = "%08x".formatted(training.digest());
        if (flags.json) {
            out.line(JsonNodeFactory.instance
                    .objectNode()
                    .put("event", "done")
                    .put("batches", training.batches())
                    .put("seconds", seconds)
                    .put("resume", training.token().toString())
                    .put("weights_digest", digest)
                    .toString());
        } else {
            out.line(String.format(
                    Locale.ROOT,
                    "learned from %d batches in %.1f s; weights %s%s",
                    training.batches(),
                    seconds,
                    digest,
                    flags.checkpoint == null ? "" : ", saved in " + flags.checkpoint));
        }
    }

    private void lastWord() {
        spec.commandLine()
                .getErr()
                .println(
                        flags.checkpoint == null
                                ? "interrupted; with --checkpoint FILE it could resume"
                                : "interrupted; to continue, repeat the command");
    }
}

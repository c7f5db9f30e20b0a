package io.penstock.train;

import ai.djl.engine.Engine;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.augment.Augment;
import io.penstock.augment.AugmentSpec;
import io.penstock.augment.Normalise;
import io.penstock.cache.Cache;
import io.penstock.cache.RemovableTier;
import io.penstock.cache.ram.CachePolicy;
import io.penstock.cache.ram.RamOptions;
import io.penstock.cache.ram.RamTier;
import io.penstock.cli.AddedCommand;
import io.penstock.cli.console.Interruption;
import io.penstock.cli.console.Output;
import io.penstock.cli.console.Reason;
import io.penstock.cli.console.TemporaryFolder;
import io.penstock.cli.flag.ByteSize;
import io.penstock.cli.flag.DiskSpec;
import io.penstock.cli.flag.NumberFlag;
import io.penstock.cli.flag.OutputFlags;
import io.penstock.cli.source.MaterializedShards;
import io.penstock.cli.source.StorePlace;
import io.penstock.pictures.PictureFolder;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

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
    private static final Normalise NORMALISE =
            Normalise.of(new double[] {0.5}, new double[] {0.25}).channelsFirst();

    @Mixin
    private final OutputFlags output = new OutputFlags();

    @Option(names = "--data", paramLabel = "DIR|tar:DIR")
    private @Nullable String data;

    @Option(names = "--images", paramLabel = "N", defaultValue = "640", converter = NumberFlag.Pictures.class)
    private Integer images;

    @Option(names = "--resize", paramLabel = "N", converter = NumberFlag.Side.class)
    private @Nullable Integer resize;

    @Option(names = "--cache-ram", paramLabel = "SIZE", defaultValue = "25%")
    private ByteSize cacheRam;

    @Option(names = "--cache-disk", paramLabel = "DIR[,SIZE]")
    private @Nullable DiskSpec cacheDisk;

    @Option(names = "--augment", paramLabel = "WORDS")
    private @Nullable String augment;

    @Option(names = "--batch", paramLabel = "N", defaultValue = "64", converter = NumberFlag.BatchSize.class)
    private Integer batch;

    @Option(names = "--epochs", paramLabel = "N", defaultValue = "5", converter = NumberFlag.Count.class)
    private Integer epochs;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "42", converter = NumberFlag.Seed.class)
    private long seed;

    @Option(names = "--learning-rate", paramLabel = "X", defaultValue = "0.02", converter = NumberFlag.Rate.class)
    private double rate;

    @Option(names = "--threads", paramLabel = "N", defaultValue = "1", converter = NumberFlag.Threads.class)
    private Integer threads;

    @Option(names = "--checkpoint", paramLabel = "FILE")
    private @Nullable Path checkpoint;

    @Option(names = "--save-every", paramLabel = "N", converter = NumberFlag.Count.class)
    private @Nullable Integer saveEvery;

    @Option(names = "--stop-after", paramLabel = "N", converter = NumberFlag.Count.class)
    private @Nullable Integer stopAfter;

    private boolean headed;

    @Override
    public Integer call() {
        if (saveEvery != null && checkpoint == null) {
            throw output.wrong("--save-every needs --checkpoint");
        }
        if (data != null) {
            return train(data);
        }
        if (checkpoint != null) {
            throw output.wrong("pictures made for one run are gone with it: --checkpoint needs --data");
        }
        try (TemporaryFolder folder = TemporaryFolder.make("penstock-train-")) {
            PictureFolder.write(List.of(folder.path()), images, folder::isGivenUp)
                    .blockLast();
            return folder.isGivenUp()
                    ? Interruption.STATUS
                    : train(folder.path().toString());
        }
    }

    private LabelledPictures open(String place, Cache cache) {
        return place.startsWith(SHARDS)
                ? LabelledPictures.ofShards(
                        Path.of(MaterializedShards.in(new StorePlace(place.substring(SHARDS.length())))
                                .text()),
                        resize,
                        cache)
                : LabelledPictures.open(Path.of(place), resize, cache);
    }

    private int train(String place) {
        try (Cache cache = cache()) {
            LabelledPictures data = open(place, cache);
            TrainingPlan plan = new TrainingPlan(augment(data), NORMALISE, batch, epochs, seed, rate);
            Training.Saving saving = new Training.Saving(checkpoint, saveEvery == null ? 0 : saveEvery);
            Engine engine = PyTorch.load(threads);
            try (Interruption interruption = Interruption.watch(this::lastWord);
                    Training training = new Training(data, plan, saving, this::report, engine)) {
                long started = System.nanoTime();
                training.run(interruption.stop(), stopAfter == null ? Long.MAX_VALUE : stopAfter);
                if (interruption.ended()) {
                    return Interruption.STATUS;
                }
                done(training, (System.nanoTime() - started) / 1e9);
                return 0;
            }
        }
    }

    private Cache cache() {
        ByteSize size = cacheRam;
        RamOptions options = RamTier.of(CachePolicy.HOLD);
        RemovableTier ram =
                (size.isShare() ? options.maxFreeShare(size.share()) : options.maxBytes(size.bytes())).open();
        if (cacheDisk == null) {
            return Cache.of(ram);
        }
        try {
            return Cache.of(ram, cacheDisk.open());
        } catch (RuntimeException e) {
            ram.close();
            throw e;
        }
    }

    private Augment augment(LabelledPictures data) {
        String words = augment == null ? "crop=%d:pad=2".formatted(data.size()) : augment;
        try {
            Augment augment = words.isBlank() ? Augment.whole() : AugmentSpec.parse(words);
            return augment.normalise(NORMALISE);
        } catch (IllegalArgumentException e) {
            throw output.wrong("--augment: " + Reason.of(e));
        }
    }

    private void report(TrainingEpoch epoch) {
        Output out = output.out();
        if (output.json()) {
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
                epoch.number,
                epoch.samples,
                epoch.seconds(),
                epoch.samples / epoch.seconds(),
                100 * epoch.waitingShare(),
                epoch.loss(),
                epoch.accuracy(),
                epoch.testAccuracy));
    }

    private static ObjectNode json(TrainingEpoch epoch) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("event", "epoch")
                .put("epoch", epoch.number)
                .put("samples", epoch.samples)
                .put("seconds", epoch.seconds())
                .put("samples_per_second", epoch.samples / epoch.seconds())
                .put("waiting_share", epoch.waitingShare())
                .put("loss", epoch.loss())
                .put("accuracy", epoch.accuracy())
                .put("test_accuracy", epoch.testAccuracy)
                .put("loads", epoch.loads);
    }

    private void done(Training training, double seconds) {
        String digest = "%08x".formatted(training.digest());
        String words = String.format(
                Locale.ROOT,
                "learned from %d batches in %.1f s; weights %s%s",
                training.batches(),
                seconds,
                digest,
                checkpoint == null ? "" : ", saved in " + checkpoint);
        output.print(
                words,
                "done",
                node -> node.put("batches", training.batches())
                        .put("seconds", seconds)
                        .put("resume", training.token().toString())
                        .put("weights_digest", digest));
    }

    private void lastWord() {
        output.err()
                .println(
                        checkpoint == null
                                ? "interrupted; with --checkpoint FILE it could resume"
                                : "interrupted; to continue, repeat the command");
    }
}

package io.penstock.programs;

import io.penstock.augment.Augment;
import io.penstock.batch.Batch;
import io.penstock.batch.Batches;
import io.penstock.cache.Cache;
import io.penstock.cache.ram.RamTier;
import io.penstock.folder.ImageFolder;
import io.penstock.image.ImageDecoder;
import io.penstock.image.Resize;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Mixture;
import io.penstock.pipeline.Pipeline;
import io.penstock.resume.ResumeToken;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ObjDoubleConsumer;

/** Trains on two folders of pictures, drawn by weights, and goes on where it was killed, also with other weights. */
public final class MixPictures {

    private static final int BATCH = 32;
    private static final int SIZE = 16;
    private static final int EPOCHS = 5;
    private static final float RATE = 0.005f;
    private static final int SAVED_EVERY = 4 * BATCH;
    private static final Schema<Picture> SCHEMA = Schema.of(Picture.class);

    private final Dataset<Picture> validation;
    private final Pipeline<Picture> training;
    private final Sampler order;
    private final Softmax model;

    record Picture(Tensor pixels, int label) {}

    /** The classes of the second folder are numbered behind those of the first. */
    MixPictures(Path first, Path second, double weight, Cache cache) {
        ImageFolder folder = ImageFolder.open(first);
        ImageFolder other = ImageFolder.open(second);
        int from = folder.labels().size();
        List<Dataset<Picture>> parts = decoded(folder, cache).split(42, 0.8, 0.2);
        List<Dataset<Picture>> others = decoded(other, cache)
                .map("labels from " + from, picture -> new Picture(picture.pixels(), from + picture.label()))
                .split(42, 0.8, 0.2);
        Mixture<Picture> mixture = Mixture.of(parts.get(0), weight).and(others.get(0), 1 - weight);
        Augment flip = Augment.whole().flip();
        this.training = mixture.dataset()
                .augment(
                        flip.name(),
                        (picture, dice) -> new Picture(flip.apply(picture.pixels(), dice), picture.label()));
        this.validation = Dataset.concat(List.of(parts.get(1), others.get(1)));
        this.order = mixture.sampler(Sampler.shuffled(42)).epochs(EPOCHS);
        this.model = new Softmax(SIZE * SIZE * 3, from + other.labels().size());
    }

    private static Dataset<Picture> decoded(ImageFolder files, Cache cache) {
        ImageDecoder decoder = ImageDecoder.fastest();
        Resize resize = Resize.exact(SIZE, SIZE);
        return files.map(
                        decoder.id() + ", " + resize,
                        file -> new Picture(decoder.decode(file.bytes(), resize), file.label()))
                .cache(cache, SCHEMA);
    }

    /** Trains from the checkpoint on, if there is one; returns the loss on the held-back pictures after each epoch. */
    List<Double> train(Path checkpoint, ObjDoubleConsumer<Batch> step) throws IOException {
        Sampler sampler = model.resume(checkpoint, order, training);
        ResumeToken plan = ResumeToken.of(training, sampler);
        Batches<Picture> batches = Batches.of(BATCH, SCHEMA);
        List<Double> losses = new ArrayList<>();
        for (long epoch = sampler.start().epoch(); epoch < EPOCHS; epoch++) {
            training.stream(sampler.epoch(epoch))
                    .transform(batches.remainder(Remainder.DROP))
                    .doOnNext(batch -> {
                        try (batch) {
                            step.accept(batch, loss(batch, RATE) / batch.size());
                            if (batch.next().offset() % SAVED_EVERY == 0) { // also behind an epoch
                                model.save(checkpoint, plan.at(batch.next()));
                            }
                        }
                    })
                    .blockLast();
            double[] loss = new double[1];
            validation.stream(Sampler.sequential())
                    .transform(batches)
                    .doOnNext(batch -> {
                        try (batch) {
                            loss[0] += loss(batch, 0);
                        }
                    })
                    .blockLast();
            losses.add(loss[0] / validation.size());
        }
        return losses;
    }

    /** The sum over a batch. */
    private double loss(Batch batch, float rate) {
        double loss = 0;
        for (int row = 0; row < batch.size(); row++) {
            int label = (int) batch.tensor("label").longAt(row);
            loss += model.loss(batch.tensor("pixels").row(row), label, rate);
        }
        return loss;
    }

    /** Where a run goes on behind a batch, a digest of one of its fields, and its loss. */
    static String step(Batch batch, String field, double loss) {
        return "epoch %d, %d: %08x %s"
                .formatted(
                        batch.next().epoch(),
                        batch.next().offset(),
                        batch.tensor(field).hashCode(),
                        loss);
    }

    /** Arguments: a working folder; then the two folders, unless it makes pictures, and the weight of the first. */
    public static void main(String[] arguments) throws IOException {
        Path work = Path.of(arguments[0]);
        List<Path> folders =
                arguments.length < 3 ? MadeData.pictures(work) : List.of(Path.of(arguments[1]), Path.of(arguments[2]));
        double weight = arguments.length < 4 ? 0.7 : Double.parseDouble(arguments[3]);
        try (Cache cache = Cache.of(RamTier.ofBytes(64 << 20))) {
            MixPictures program = new MixPictures(folders.get(0), folders.get(1), weight, cache);
            System.out.println(program.train(
                    work.resolve("checkpoint"), (batch, loss) -> System.out.println(step(batch, "pixels", loss))));
        }
    }
}

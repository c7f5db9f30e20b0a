package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ai.djl.Device;
import ai.djl.engine.Engine;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Activation;
import ai.djl.nn.SequentialBlock;
import ai.djl.nn.convolutional.Conv2d;
import ai.djl.training.DefaultTrainingConfig;
import ai.djl.training.GradientCollector;
import ai.djl.training.Trainer;
import ai.djl.training.loss.Loss;
import ai.djl.training.loss.SoftmaxCrossEntropyLoss;
import ai.djl.training.optimizer.Optimizer;
import ai.djl.training.tracker.Tracker;
import io.penstock.augment.Augment;
import io.penstock.augment.Change;
import io.penstock.augment.JointAugment;
import io.penstock.augment.Normalise;
import io.penstock.augment.Operation;
import io.penstock.augment.Policy;
import io.penstock.batch.Batch;
import io.penstock.batch.Batches;
import io.penstock.batch.mix.MapBatch;
import io.penstock.batch.mix.Mosaic;
import io.penstock.djl.NdBatch;
import io.penstock.memory.MemoryDataset;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Pipeline;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import io.penstock.vision.Mask;
import io.penstock.vision.Pixels;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A network that finds discs by their masks, trained by DJL on pictures that are augmented and mixed: {@code -Ptrain}. */
class SegmentationTest {

    private static final int SIDE = 40;
    private static final int CROP = 32;
    private static final int BATCH = 16;
    private static final int PICTURES = 96;
    private static final double WANTED = 0.9;

    record Scene(Pixels pixels, Mask mask) {}

    @BeforeEach
    void requireEngine() {
        System.setProperty("OPT_OUT_TRACKING", "true");
        System.setProperty("ai.djl.offline", "true");
        assumeTrue(Engine.hasEngine("PyTorch"), "there is no engine of DJL on the class path; test with -Ptrain");
    }

    /** A red disc, which the mask marks, and a blue one that it does not, on noise. */
    private static Scene scene(long number) {
        SplittableRandom random = new SplittableRandom(number);
        double[][] discs = new double[2][];
        for (int i = 0; i < 2; i++) {
            discs[i] = new double[] {random.nextDouble(8, 32), random.nextDouble(8, 32), random.nextDouble(5, 9)};
        }
        byte[] pixels = new byte[SIDE * SIDE * 3];
        byte[] mask = new byte[SIDE * SIDE];
        for (int at = 0; at < mask.length; at++) {
            int inside = 0; // the later disc lies over the other
            for (int i = 0; i < 2; i++) {
                if (Math.hypot(at % SIDE - discs[i][0], Math.floorDiv(at, SIDE) - discs[i][1]) < discs[i][2]) {
                    inside = i + 1;
                }
            }
            for (int channel = 0; channel < 3; channel++) {
                boolean bright = inside == 1 && channel == 0 || inside == 2 && channel == 2;
                pixels[3 * at + channel] = (byte) (random.nextInt(60) + (bright ? 140 : 20));
            }
            mask[at] = (byte) (inside == 1 ? 1 : 0);
        }
        return new Scene(new Pixels(Tensor.ofBytes(pixels, SIDE, SIDE, 3)), new Mask(Tensor.ofBytes(mask, SIDE, SIDE)));
    }

    private static SequentialBlock network() {
        SequentialBlock network = new SequentialBlock();
        for (int layer = 0; layer < 2; layer++) {
            network.add(Conv2d.builder()
                            .setFilters(8)
                            .setKernelShape(new Shape(5, 5))
                            .optPadding(new Shape(2, 2))
                            .build())
                    .add(Activation::relu);
        }
        return network.add(
                Conv2d.builder().setFilters(2).setKernelShape(new Shape(1, 1)).build());
    }

    @Test
    void network_onJointlyAugmentedScenes_findsTheDiscs() throws Exception {
        Dataset<Scene> scenes = MemoryDataset.generate("discs", PICTURES, SegmentationTest::scene);
        Normalise normalise = Normalise.of(new double[] {0.3}, new double[] {0.2});
        JointAugment<Scene> augment = Augment.crop(CROP, CROP)
                .flip()
                .policy(Policy.choose(1, Change.of(Operation.ROTATE, 0, 30), Change.of(Operation.BRIGHTNESS, 0, 0.3)))
                .normalise(normalise)
                .over(Scene.class);
        Sampler sampler = Sampler.shuffled(5).epochs(25);
        Pipeline<Scene> training = scenes.augment(augment.name(), augment);
        Schema<Scene> schema = Schema.of(Scene.class);

        try (NDManager manager = NDManager.newBaseManager(Device.cpu(), "PyTorch");
                ai.djl.Model model = ai.djl.Model.newInstance("discs", Device.cpu(), "PyTorch")) {
            manager.getEngine().setRandomSeed(3);
            model.setBlock(network());
            try (Trainer trainer = model.newTrainer(new DefaultTrainingConfig(loss())
                    .optDevices(new Device[] {Device.cpu()})
                    .optOptimizer(Optimizer.adam()
                            .optLearningRateTracker(Tracker.fixed(0.01f))
                            .build()))) {
                trainer.initialize(new Shape(BATCH, 3, CROP, CROP));
                training.stream(sampler)
                        .transform(Batches.of(BATCH, schema).channelsFirst("pixels"))
                        .transform(MapBatch.of("mosaic", sampler, Mosaic.of(0.5, "pixels", "mask")))
                        .doOnNext(batch -> learn(trainer, batch))
                        .blockLast();

                double[] overlap = new double[2]; // in both, in either
                MemoryDataset.generate("others", 32, i -> scene(1_000 + i))
                        .map(
                                "normalise",
                                scene -> new Scene(
                                        new Pixels(
                                                normalise.apply(scene.pixels().tensor())),
                                        scene.mask()))
                        .stream(Sampler.sequential())
                        .transform(Batches.of(BATCH, schema).channelsFirst("pixels"))
                        .doOnNext(batch -> measure(trainer, batch, overlap))
                        .blockLast();

                assertThat(overlap[0] / overlap[1])
                        .as("intersection over union")
                        .isGreaterThan(WANTED);
            }
        }
    }

    private static Loss loss() {
        return new SoftmaxCrossEntropyLoss("cells", 1, 1, true, true);
    }

    private static void learn(Trainer trainer, Batch batch) {
        try (NdBatch step = NdBatch.of(batch, trainer.getManager());
                GradientCollector gradients = trainer.newGradientCollector()) {
            NDArray cells = step.data().get(1).toType(DataType.INT64, false).expandDims(1);
            NDList scores = trainer.forward(new NDList(step.data().get(0)));
            gradients.backward(trainer.getLoss().evaluate(new NDList(cells), scores));
        }
        trainer.step();
    }

    private static void measure(Trainer trainer, Batch batch, double[] overlap) {
        try (NdBatch step = NdBatch.of(batch, trainer.getManager())) {
            NDArray found = trainer.evaluate(new NDList(step.data().get(0)))
                    .head()
                    .argMax(1)
                    .toType(DataType.BOOLEAN, false);
            NDArray marked = step.data().get(1).toType(DataType.BOOLEAN, false);
            overlap[0] +=
                    found.logicalAnd(marked).toType(DataType.INT64, false).sum().getLong();
            overlap[1] +=
                    found.logicalOr(marked).toType(DataType.INT64, false).sum().getLong();
        }
    }
}

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
import ai.djl.nn.Block;
import ai.djl.nn.core.Linear;
import ai.djl.training.DefaultTrainingConfig;
import ai.djl.training.GradientCollector;
import ai.djl.training.Trainer;
import ai.djl.training.loss.Loss;
import ai.djl.training.optimizer.Optimizer;
import ai.djl.training.tracker.Tracker;
import io.penstock.batch.Batch;
import io.penstock.batch.Batches;
import io.penstock.djl.NdBatch;
import io.penstock.memory.MemoryDataset;
import io.penstock.order.ClassGroups;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * An embedding that DJL trains on batches of P classes by K samples, by the supervised contrastive loss: {@code -Ptrain}.
 * It is measured on classes that it has not seen.
 * @see <a href="https://arxiv.org/abs/2004.11362">Khosla and others, Supervised Contrastive Learning, 2020</a>
 */
class EmbeddingTest {

    private static final int CLASSES = 80;
    private static final int UNSEEN = 20;
    private static final int OF_CLASS = 12;
    private static final int TELLING = 8;
    private static final int VALUES = 32;
    private static final int UNITS = 16;
    private static final float TEMPERATURE = 0.2f;

    /** A point whose first values tell its class; the others are louder noise. */
    record Point(Tensor values, int label) {

        static Point of(int number) {
            int label = number / OF_CLASS;
            SplittableRandom ofClass = new SplittableRandom(label);
            SplittableRandom own = new SplittableRandom(1_000 + number);
            float[] values = new float[VALUES];
            for (int i = 0; i < VALUES; i++) {
                values[i] = (float) (i < TELLING ? gaussian(ofClass) + 0.1 * gaussian(own) : 2 * gaussian(own));
            }
            return new Point(Tensor.ofFloats(values, VALUES), label);
        }

        private static double gaussian(SplittableRandom random) {
            return Math.sqrt(-2 * Math.log(1 - random.nextDouble())) * Math.cos(2 * Math.PI * random.nextDouble());
        }
    }

    private static Dataset<Point> points(int classes, int first) {
        return MemoryDataset.generate(
                "points from " + first, classes * OF_CLASS, i -> Point.of(first * OF_CLASS + (int) i));
    }

    @Test
    void embedding_byClassesAndSamples_tellsUnseenClassesApart() {
        System.setProperty("OPT_OUT_TRACKING", "true");
        System.setProperty("ai.djl.offline", "true");
        assumeTrue(Engine.hasEngine("PyTorch"), "there is no engine of DJL on the class path; test with -Ptrain");
        Schema<Point> schema = Schema.of(Point.class);
        int[] labels =
                IntStream.range(0, CLASSES * OF_CLASS).map(i -> i / OF_CLASS).toArray();
        try (NDManager manager = NDManager.newBaseManager(Device.cpu(), "PyTorch");
                ai.djl.Model model = ai.djl.Model.newInstance("embedding", Device.cpu(), "PyTorch")) {
            manager.getEngine().setRandomSeed(3);
            Block network = Linear.builder().setUnits(UNITS).build();
            model.setBlock(network);
            try (Trainer trainer = model.newTrainer(new DefaultTrainingConfig(Loss.l2Loss())
                    .optDevices(new Device[] {Device.cpu()})
                    .optOptimizer(Optimizer.adam()
                            .optLearningRateTracker(Tracker.fixed(0.01f))
                            .build()))) {
                trainer.initialize(new Shape(1, VALUES));
                double before = recall(trainer, schema);

                points(CLASSES, 0).group(ClassGroups.of(labels).batches(10, 4)).stream(
                                Sampler.shuffled(5).epochs(40))
                        .transform(Batches.ofGroups(schema))
                        .doOnNext(batch -> learn(trainer, batch))
                        .blockLast();

                assertThat(before).as("recall@1 untrained").isLessThan(0.5);
                assertThat(recall(trainer, schema)).as("recall@1").isGreaterThan(0.9);
            }
        }
    }

    private static NDArray embedded(NDList output) {
        return output.singletonOrThrow().normalize(2, 1);
    }

    private static void learn(Trainer trainer, Batch batch) {
        try (NdBatch step = NdBatch.of(batch, trainer.getManager());
                GradientCollector gradients = trainer.newGradientCollector()) {
            NDArray points = embedded(trainer.forward(new NDList(step.array("values"))));
            NDArray itself = points.getManager().eye(batch.size());
            NDArray likeness =
                    points.matMul(points.transpose()).div(TEMPERATURE).sub(itself.mul(1e9f));
            NDArray labels = step.array("label");
            NDArray positives = labels.expandDims(0)
                    .eq(labels.expandDims(1))
                    .toType(DataType.FLOAT32, false)
                    .sub(itself);
            gradients.backward(likeness.logSoftmax(1)
                    .mul(positives)
                    .sum()
                    .div(positives.sum())
                    .neg());
        }
        trainer.step();
    }

    /** The share of points of unseen classes whose nearest neighbour is of their class. */
    private static double recall(Trainer trainer, Schema<Point> schema) {
        Dataset<Point> unseen = points(UNSEEN, CLASSES);
        Batch all = Objects.requireNonNull(unseen.stream(Sampler.sequential())
                .transform(Batches.of(UNSEEN * OF_CLASS, schema))
                .next()
                .block());
        try (NdBatch step = NdBatch.of(all, trainer.getManager())) {
            NDArray points = embedded(trainer.evaluate(new NDList(step.array("values"))));
            long[] nearest = points.matMul(points.transpose())
                    .sub(points.getManager().eye(UNSEEN * OF_CLASS).mul(9))
                    .argMax(1)
                    .toLongArray();
            return IntStream.range(0, nearest.length)
                            .filter(i -> nearest[i] / OF_CLASS == i / OF_CLASS)
                            .count()
                    / (double) nearest.length;
        }
    }
}

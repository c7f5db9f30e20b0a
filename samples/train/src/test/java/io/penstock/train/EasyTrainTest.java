package io.penstock.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.djl.Device;
import ai.djl.Model;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.core.Linear;
import ai.djl.training.DefaultTrainingConfig;
import ai.djl.training.EasyTrain;
import ai.djl.training.Trainer;
import ai.djl.training.loss.Loss;
import ai.djl.training.optimizer.Optimizer;
import ai.djl.training.tracker.Tracker;
import io.penstock.batch.Batch;
import io.penstock.batch.Batches;
import io.penstock.djl.MaskedLoss;
import io.penstock.djl.NdDataset;
import io.penstock.memory.MemoryDataset;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import io.penstock.vision.Boxes;
import io.penstock.vision.Pixels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** Batches as the data set of DJL's own training loop. */
class EasyTrainTest {

    private static final int SAMPLES = 70;
    private static final Schema<Point> SCHEMA = Schema.of(Point.class);

    record Point(Tensor at, float value) {}

    /** Of the line 3 x + 1. */
    private static Point point(long index) {
        float x = index / 35f - 1;
        return new Point(Tensor.ofFloats(new float[] {x}, 1), 3 * x + 1);
    }

    private static Flux<Batch> epoch(long epoch) {
        return MemoryDataset.generate("points", SAMPLES, EasyTrainTest::point).stream(
                        Sampler.shuffled(42).epoch(epoch))
                .transform(Batches.of(16, SCHEMA).remainder(Remainder.PAD));
    }

    @Test
    void fit_overPaddedBatches_learnsTheLine() throws Exception {
        PyTorch.load(1);
        List<Long> epochs = new ArrayList<>();
        NdDataset training = NdDataset.of(
                epoch -> {
                    epochs.add(epoch);
                    return epoch(epoch);
                },
                "at",
                "value");
        Optimizer optimizer =
                Optimizer.sgd().setLearningRateTracker(Tracker.fixed(0.2f)).build();
        try (Model model = Model.newInstance("line", Device.cpu(), "PyTorch")) {
            model.setBlock(Linear.builder().setUnits(1).build());
            try (Trainer trainer = model.newTrainer(new DefaultTrainingConfig(MaskedLoss.of(new Squares()))
                    .optDevices(new Device[] {Device.cpu()})
                    .optOptimizer(optimizer))) {
                trainer.initialize(new Shape(16, 1));

                EasyTrain.fit(trainer, 20, training.from(3), NdDataset.of(EasyTrainTest::epoch, "at", "value"));
                float[] weight =
                        model.getBlock().getParameters().valueAt(0).getArray().toFloatArray();
                float[] bias =
                        model.getBlock().getParameters().valueAt(1).getArray().toFloatArray();

                assertThat(weight[0]).isCloseTo(3, within(0.1f));
                assertThat(bias[0]).isCloseTo(1, within(0.1f));
            }
        }
        assertThat(epochs).hasSize(20).startsWith(3L, 4L).endsWith(22L);
    }

    /** The mean of squared differences; a vector of labels is a column here. */
    private static final class Squares extends Loss {

        Squares() {
            super("squares");
        }

        @Override
        public NDArray evaluate(NDList labels, NDList predictions) {
            return predictions.head().squeeze(1).sub(labels.head()).square().mean();
        }
    }

    @Test
    void pass_thatIsLeftEarly_givesItsMemoryBack() {
        try (NDManager manager = PyTorch.load(1).newBaseManager(Device.cpu());
                NdDataset data = NdDataset.of(EasyTrainTest::epoch, "at", "value")) {
            List<Long> sizes = new ArrayList<>();
            for (int pass = 0; pass < 10; pass++) {
                try (ai.djl.training.dataset.Batch first =
                        data.getData(manager).iterator().next()) {
                    sizes.add(first.getLabels()
                            .get(1)
                            .sum()
                            .toType(DataType.INT64, true)
                            .getLong());
                }
            }

            assertThat(sizes).hasSize(10).containsOnly(16L);
            assertThat(manager.getManagedArrays()).isEmpty();
        }
    }

    @Test
    void loss_ofABatchWithPadding_isThatOfItsValidRows() {
        try (NDManager manager = PyTorch.load(1).newBaseManager(Device.cpu())) {
            Loss plain = Loss.softmaxCrossEntropyLoss();
            NDArray logits = manager.create(new float[] {1, 2, 3, 0, 5, 5}, new Shape(3, 2));
            NDArray labels = manager.create(new int[] {0, 1, 1});

            float masked = masked(plain, logits, labels, true, true, false);

            float valid = plain.evaluate(new NDList(labels.get(":2")), new NDList(logits.get(":2")))
                    .getFloat();
            assertThat(masked).isEqualTo(valid);
            assertThat(masked(plain, logits, labels, false, false, false)).isZero();
            assertThat(MaskedLoss.of(plain)
                            .evaluate(new NDList(labels), new NDList(logits))
                            .getFloat())
                    .isEqualTo(plain.evaluate(new NDList(labels), new NDList(logits))
                            .getFloat());
        }
    }

    private static float masked(Loss plain, NDArray logits, NDArray labels, boolean... valid) {
        NDArray mask = logits.getManager().create(valid);
        return MaskedLoss.of(plain)
                .evaluate(new NDList(labels, mask), new NDList(logits))
                .getFloat();
    }

    record Street(Pixels pixels, Boxes boxes) {}

    /** Of 4 × 8 pixels, with a box fewer than its index. */
    private static Street street(long index) {
        float[] corners = {0, 1, 4, 2, 2, 0, 8, 4};
        int boxes = (int) index;
        return new Street(
                new Pixels(Tensor.ofBytes(new byte[4 * 8 * 3], 4, 8, 3)),
                Boxes.of(Arrays.copyOf(corners, 4 * boxes), Arrays.copyOf(new int[] {7, 3}, boxes)));
    }

    private static Flux<Batch> streets(Batches<Street> batches) {
        return MemoryDataset.generate("streets", 3, EasyTrainTest::street).stream(Sampler.sequential())
                .transform(batches);
    }

    @Test
    void boxes_ofStreets_areLabelsAsDetectorsTakeThem() throws Exception {
        PyTorch.load(1);
        Batches<Street> padded = Batches.of(4, Schema.of(Street.class)).padShapes();
        float[] labels = {
            -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, //
            7, 0, 0.25f, 0.5f, 0.5f, -1, -1, -1, -1, -1, //
            7, 0, 0.25f, 0.5f, 0.5f, 3, 0.25f, 0, 1, 1
        };
        for (Batches<Street> batches : List.of(padded, padded.channelsFirst("pixels"))) {
            try (NDManager manager = NDManager.newBaseManager(Device.cpu(), "PyTorch");
                    NdDataset data = NdDataset.of(epoch -> streets(batches), "pixels", "boxes.classes")
                            .boxes("boxes.corners")
                            .from(1)) {
                for (ai.djl.training.dataset.Batch batch : data.getData(manager)) {
                    assertThat(batch.getLabels().head().getShape()).isEqualTo(new Shape(3, 2, 5));
                    assertThat(batch.getLabels().head().toFloatArray()).containsExactly(labels);
                    batch.close();
                }
            }
        }
    }

    @Test
    void boxes_thatWereNotPadded_areRefusedWithTheWayOut() throws Exception {
        PyTorch.load(1);
        try (NDManager manager = NDManager.newBaseManager(Device.cpu(), "PyTorch");
                NdDataset data =
                        NdDataset.of(EasyTrainTest::epoch, "at", "value").boxes("corners")) {
            assertThatThrownBy(() -> data.getData(manager).iterator().next())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContainingAll("value.length", "padShapes()");
        }
    }
}

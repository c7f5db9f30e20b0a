package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ai.djl.Device;
import ai.djl.Model;
import ai.djl.engine.Engine;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Blocks;
import ai.djl.nn.LambdaBlock;
import ai.djl.nn.SequentialBlock;
import ai.djl.nn.convolutional.Conv2d;
import ai.djl.nn.core.Linear;
import ai.djl.training.DefaultTrainingConfig;
import ai.djl.training.Trainer;
import ai.djl.training.listener.TrainingListenerAdapter;
import ai.djl.training.loss.Loss;
import io.penstock.memory.MemoryDataset;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Both programs for DJL of docs/moving.md, where its engine is on the class path: with {@code -Ptrain}. */
class MovingFromDjlTest {

    private static final int SAMPLES = 70;
    private static final int BATCH = 32;
    private static final int EPOCHS = 3;
    private static final Path PAGE = Path.of(System.getProperty("penstock.root"), "docs", "moving.md");

    @TempDir
    private Path folder;

    /** Of every batch that was trained on, its labels; a label is the number of its sample. */
    private final List<List<Long>> trained = new ArrayList<>();

    @BeforeEach
    void loadEngine() {
        System.setProperty("OPT_OUT_TRACKING", "true");
        System.setProperty("ai.djl.offline", "true");
        assumeTrue(Engine.hasEngine("PyTorch"), "there is no engine of DJL on the class path; test with -Ptrain");
    }

    private static Given.Photo photo(long index) {
        return new Given.Photo(Tensor.ofBytes(new byte[] {(byte) index, 1, 2, 3}, 2, 2, 1), (int) index);
    }

    @FunctionalInterface
    private interface Training {
        void of(Object page, Trainer trainer, NDManager manager) throws Exception;
    }

    /** Trains a layer, and takes down what it is trained on. */
    private void train(Training training) throws Exception {
        Given page = (Given) new Snippets(folder).instance(Document.read(PAGE).snippets());
        page.schema = Schema.of(Given.Photo.class);
        DefaultTrainingConfig config = new DefaultTrainingConfig(Loss.softmaxCrossEntropyLoss())
                .optDevices(new Device[] {Device.cpu()})
                .addTrainingListeners(new TrainingListenerAdapter() {
                    @Override
                    public void onTrainingBatch(Trainer trainer, BatchData batch) {
                        batch.getLabels().values().forEach(labels -> trained.add(numbers(labels.head())));
                    }
                });
        try (Model model = Model.newInstance("page", Device.cpu(), "PyTorch")) {
            model.setBlock(new SequentialBlock()
                    .add(new LambdaBlock(pixels -> new NDList(pixels.head().toType(DataType.FLOAT32, false)), "floats"))
                    .add(Conv2d.builder()
                            .setKernelShape(new Shape(2, 2))
                            .setFilters(8)
                            .build())
                    .add(Blocks.batchFlattenBlock())
                    .add(Linear.builder().setUnits(SAMPLES).build()));
            try (Trainer trainer = model.newTrainer(config);
                    NDManager manager = model.getNDManager().newSubManager()) {
                trainer.initialize(new Shape(BATCH, 1, 2, 2));
                training.of(page, trainer, manager);
                assertThat(model.getBlock()
                                .getParameters()
                                .valueAt(0)
                                .getArray()
                                .getShape())
                        .isEqualTo(new Shape(8, 1, 2, 2));
            }
        }
    }

    private static List<Long> numbers(NDArray labels) {
        return LongStream.of(labels.toType(DataType.INT64, true).toLongArray())
                .boxed()
                .toList();
    }

    private static void call(Object page, String name, Object... arguments) throws Exception {
        Method method = Stream.of(page.getClass().getDeclaredMethods())
                .filter(each -> each.getName().equals(name))
                .findFirst()
                .orElseThrow();
        method.setAccessible(true);
        try {
            method.invoke(page, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    private void assertEachEpochHasAllInAnotherOrder() {
        List<Long> all = LongStream.range(0, SAMPLES).boxed().toList();
        List<Long> drawn = trained.stream().flatMap(List::stream).toList();
        assertThat(drawn).hasSize(EPOCHS * SAMPLES);
        List<List<Long>> epochs = List.of(
                drawn.subList(0, SAMPLES),
                drawn.subList(SAMPLES, 2 * SAMPLES),
                drawn.subList(2 * SAMPLES, 3 * SAMPLES));
        assertThat(epochs)
                .doesNotHaveDuplicates()
                .allSatisfy(epoch -> assertThat(epoch).isNotEqualTo(all).hasSameElementsAs(all));
        assertThat(Collections.max(trained.stream().map(List::size).toList())).isEqualTo(BATCH);
    }

    @Test
    void ours_trainsOnAllInEachEpoch() throws Exception {
        Dataset<Given.Photo> data = MemoryDataset.generate("photos", SAMPLES, MovingFromDjlTest::photo);

        train((page, trainer, manager) -> call(page, "fromDjl", trainer, data));

        assertEachEpochHasAllInAnotherOrder();
    }

    @Test
    void theirs_trainsOnAllInEachEpoch() throws Exception {
        float[] pixels = new float[SAMPLES * 4];
        int[] labels = new int[SAMPLES];
        for (int i = 0; i < SAMPLES; i++) {
            pixels[4 * i] = i;
            labels[i] = i;
        }

        train((page, trainer, manager) -> call(
                page, "ofDjl", trainer, manager.create(pixels, new Shape(SAMPLES, 1, 2, 2)), manager.create(labels)));

        assertEachEpochHasAllInAnotherOrder();
    }
}

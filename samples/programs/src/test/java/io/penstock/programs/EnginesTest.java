package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ai.djl.Device;
import ai.djl.Model;
import ai.djl.engine.Engine;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Activation;
import ai.djl.nn.Blocks;
import ai.djl.nn.SequentialBlock;
import ai.djl.nn.convolutional.Conv2d;
import ai.djl.nn.core.Linear;
import ai.djl.training.DefaultTrainingConfig;
import ai.djl.training.Trainer;
import ai.djl.training.listener.EvaluatorTrainingListener;
import ai.djl.training.listener.TrainingListenerAdapter;
import ai.djl.training.loss.Loss;
import ai.djl.training.optimizer.Optimizer;
import io.penstock.augment.Augment;
import io.penstock.augment.Normalise;
import io.penstock.batch.Batch;
import io.penstock.batch.BatchLoop;
import io.penstock.batch.Batches;
import io.penstock.cache.Cache;
import io.penstock.cache.ram.RamTier;
import io.penstock.djl.MaskedLoss;
import io.penstock.memory.MemoryDataset;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Pipeline;
import io.penstock.tensor.DType;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;

/**
 * The programs of docs/engines.md and docs/getting-started.md take channels as such, on DJL and ONNX Runtime with
 * {@code -Ptrain}, on TensorFlow with {@code -Ppeers}.
 */
class EnginesTest {

    private static final Schema<Given.Photo> SCHEMA = Schema.of(Given.Photo.class);
    private static final int SIDE = 8;
    private static final int CLASSES = 3;
    private static final int SAMPLES = 64;
    private static final int EPOCHS = 10;

    /** From {@code pixels}, {@code f32[n, h, w, c]}, the mean over all places of each pixel's weighted sum, {@code [n]}. */
    private static final String TENSORFLOW_MODEL = """
            org.tensorflow.TensorFunction channelsWeighted(float red, float green, float blue) {
                return org.tensorflow.ConcreteFunction.create(tf -> {
                    var pixels = tf.placeholder(org.tensorflow.types.TFloat32.class);
                    var weighted = tf.math.mul(pixels, tf.constant(new float[] {red, green, blue}));
                    var scores = tf.math.mean(tf.reduceSum(weighted, tf.constant(3)), tf.array(1, 2));
                    return org.tensorflow.Signature.builder().input("pixels", pixels).output("scores", scores).build();
                });
            }
            """;

    @TempDir
    private Path folder;

    private final List<Float> losses = new ArrayList<>();

    @BeforeEach
    void stayOffline() {
        System.setProperty("OPT_OUT_TRACKING", "true");
        System.setProperty("ai.djl.offline", "true");
    }

    /** A picture whose brightest channel is its class. */
    private static Given.Photo photo(long index) {
        byte[] pixels = new byte[SIDE * SIDE * CLASSES];
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = (byte) (i % CLASSES == index % CLASSES ? 200 : (i * 7 + index) % 50);
        }
        Tensor tensor = Tensor.of(DType.U8, io.penstock.tensor.Shape.of(SIDE, SIDE, CLASSES), ByteBuffer.wrap(pixels));
        return new Given.Photo(tensor, (int) (index % CLASSES));
    }

    private static Given.Photo floats(Given.Photo photo) {
        return new Given.Photo(Normalise.imageNet().apply(photo.pixels()), photo.label());
    }

    @FunctionalInterface
    private interface Training {
        void of(Given page, Trainer trainer) throws Exception;
    }

    private Given given(String page, String... more) throws Exception {
        Path path = Path.of(System.getProperty("penstock.root"), "docs", page);
        List<String> snippets = Stream.concat(Document.read(path).snippets().stream(), Stream.of(more))
                .toList();
        Given given = (Given) new Snippets(folder).instance(snippets);
        given.schema = SCHEMA;
        return given;
    }

    /** Trains a convolution that counts its channels itself, by the methods of a page. */
    private void assertLearns(String page, Training training) throws Exception {
        assumeTrue(Engine.hasEngine("PyTorch"), "there is no engine of DJL on the class path; test with -Ptrain");
        Given given = given(page);
        DefaultTrainingConfig config = new DefaultTrainingConfig(MaskedLoss.of(Loss.softmaxCrossEntropyLoss()))
                .optDevices(new Device[] {Device.cpu()})
                .optOptimizer(Optimizer.adam().build())
                .addTrainingListeners(new EvaluatorTrainingListener(), new TrainingListenerAdapter() {
                    @Override
                    public void onEpoch(Trainer trainer) {
                        losses.add(trainer.getTrainingResult().getTrainLoss());
                    }
                });
        try (Model model = Model.newInstance("page", Device.cpu(), "PyTorch")) {
            model.setBlock(new SequentialBlock()
                    .add(Conv2d.builder()
                            .setFilters(8)
                            .setKernelShape(new Shape(3, 3))
                            .build())
                    .add(Activation::relu)
                    .add(Blocks.batchFlattenBlock())
                    .add(Linear.builder().setUnits(CLASSES).build()));
            try (Trainer trainer = model.newTrainer(config)) {
                training.of(given, trainer);

                assertThat(model.getBlock()
                                .getParameters()
                                .valueAt(0)
                                .getArray()
                                .getShape())
                        .isEqualTo(new Shape(8, CLASSES, 3, 3));
                assertThat(losses).hasSize(EPOCHS);
                assertThat(losses.get(EPOCHS - 1)).isLessThan(losses.get(0));
            }
        }
    }

    private static Object call(Given page, String name, Object... arguments) throws Exception {
        Method method = Stream.of(page.getClass().getDeclaredMethods())
                .filter(each -> each.getName().equals(name))
                .findFirst()
                .orElseThrow();
        method.setAccessible(true);
        return method.invoke(page, arguments);
    }

    @Test
    void learn_trainsAConvolution() throws Exception {
        Dataset<Given.Photo> photos = MemoryDataset.generate("photos", SAMPLES, EnginesTest::photo);

        assertLearns("engines.md", (page, trainer) -> call(page, "learn", trainer, photos, EPOCHS));
    }

    @Test
    void fit_trainsAConvolution() throws Exception {
        Dataset<Given.Photo> photos =
                MemoryDataset.generate("photos", SAMPLES, EnginesTest::photo).map("floats", EnginesTest::floats);

        assertLearns("engines.md", (page, trainer) -> {
            page.pipeline = photos;
            call(page, "fit", trainer, photos);
        });
    }

    @Test
    void learn_ofTheFirstPage_trainsAConvolution() throws Exception {
        Augment augment = Augment.crop(SIDE, SIDE).flip();
        Pipeline<Given.Photo> training = MemoryDataset.generate("photos", SAMPLES, EnginesTest::photo)
                .augment(
                        augment.name(),
                        (photo, random) -> new Given.Photo(augment.apply(photo.pixels(), random), photo.label()));

        assertLearns("getting-started.md", (page, trainer) -> call(page, "learn", trainer, training, EPOCHS));
    }

    @Test
    void score_givesChannelsToOnnxRuntime() throws Exception {
        assumeTrue(Document.isHere(OnnxModel.RUNTIME), "ONNX Runtime is not on the class path; test with -Ptrain");
        Given page = given("engines.md");
        float[] weights = {0.5f, -2, 3};
        Dataset<Given.Photo> photos =
                MemoryDataset.generate("photos", SAMPLES, EnginesTest::photo).map("floats", EnginesTest::floats);
        Flux<Batch> flow = photos.stream(Sampler.sequential())
                .transform(Batches.of(10, SCHEMA).channelsFirst("pixels"));
        List<float[]> scores = new ArrayList<>();
        Consumer<float[][]> taken = batch -> scores.addAll(List.of(batch));

        OnnxModel.inSession(OnnxModel.channelsWeighted(weights), session -> call(page, "score", session, flow, taken));

        assertWeighted(scores.stream().map(score -> score[0]).toList(), weights);
    }

    private static void assertWeighted(List<Float> scores, float... weights) {
        assertThat(scores).hasSize(SAMPLES);
        for (int i = 0; i < SAMPLES; i++) {
            float[] pixels = floats(photo(i)).pixels().toFloatArray();
            double sum = 0;
            for (int value = 0; value < pixels.length; value++) {
                sum += weights[value % CLASSES] * pixels[value];
            }
            assertThat((double) scores.get(i)).isCloseTo(sum / (SIDE * SIDE), within(1e-3));
        }
    }

    @Test
    void predict_givesRowsToTensorFlow() throws Exception {
        assumeTrue(Document.isHere(Document.TENSORFLOW), "TensorFlow is not on the class path; test with -Ppeers");
        Given page = given("engines.md", TENSORFLOW_MODEL);
        Dataset<Given.Photo> photos =
                MemoryDataset.generate("photos", SAMPLES, EnginesTest::photo).map("floats", EnginesTest::floats);
        List<Float> scores = new ArrayList<>();

        try (AutoCloseable model = (AutoCloseable) call(page, "channelsWeighted", 0.5f, -2f, 3f);
                BatchLoop batches =
                        BatchLoop.over(photos.stream(Sampler.sequential()).transform(Batches.of(10, SCHEMA)))) {
            for (Batch batch : batches) {
                for (float score : (float[]) call(page, "predict", model, batch)) {
                    scores.add(score);
                }
            }
        }

        assertWeighted(scores, 0.5f, -2, 3);
    }

    @Test
    void embedded_computesEachSampleOnce() throws Exception {
        assumeTrue(Document.isHere(OnnxModel.RUNTIME), "ONNX Runtime is not on the class path; test with -Ptrain");
        Given page = given("engines.md");
        Normalise normalise = Normalise.imageNet().channelsFirst();
        Dataset<Given.Photo> planes = MemoryDataset.generate("photos", SAMPLES, EnginesTest::photo)
                .map(normalise.name(), photo -> new Given.Photo(normalise.apply(photo.pixels()), photo.label()));
        List<List<Float>> epochs = new ArrayList<>();
        try (Cache cache = Cache.of(RamTier.ofBytes(1 << 20))) {
            List<Dataset<?>> embedded = new ArrayList<>();
            OnnxModel.inSession(OnnxModel.channelsWeighted(0.5f, -2, 3), session -> {
                embedded.add((Dataset<?>) call(page, "embedded", planes, session, cache));
                epochs.add(values(embedded.get(0)));
            });

            epochs.add(values(embedded.get(0))); // the session is closed
        }

        assertThat(epochs.get(0)).hasSize(SAMPLES);
        assertThat(epochs.get(0).stream().distinct().count()).isGreaterThan(CLASSES);
        assertThat(epochs.get(1)).isEqualTo(epochs.get(0));
    }

    private static List<Float> values(Dataset<?> features) {
        return features.stream(Sampler.sequential())
                .map(sample -> ((Given.Features) sample.value()).values().toFloatArray()[0])
                .collectList()
                .block();
    }
}

package io.penstock.train;

import ai.djl.Device;
import ai.djl.engine.Engine;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Block;
import ai.djl.nn.Parameter;
import ai.djl.training.GradientCollector;
import ai.djl.training.ParameterStore;
import ai.djl.training.loss.Loss;
import ai.djl.util.Pair;
import io.penstock.djl.NdBatch;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A network and its optimizer, stochastic gradient descent with momentum. One thread at a time.
 *
 * <p>DJL's own optimizers keep what they know to themselves, so a run could not go on where it was; here it is
 * {@link #weights}, with the network's.
 */
final class Learner implements AutoCloseable {

    private static final float MOMENTUM = 0.9f;
    private static final float DECAY = 5e-4f;
    private static final float NO_CLIPPING = -1;

    private final NDManager manager;
    private final Block network;
    private final ParameterStore store;
    private final Loss loss = Loss.softmaxCrossEntropyLoss();
    private final List<NDArray> velocities = new ArrayList<>();

    /** What a batch showed. */
    record Outcome(double loss, long correct) {}

    private Learner(NDManager manager, Block network) {
        this.manager = manager;
        this.network = network;
        this.store = new ParameterStore(manager, false);
    }

    /** One that has learned nothing. */
    static Learner fresh(Engine engine, LabelledPictures data, long seed) {
        return of(
                engine,
                data,
                parameter -> Weights.initial(parameter.name, parameter.length(), parameter.fanIn(), seed));
    }

    /**
     * One that goes on.
     * @throws IllegalArgumentException if the weights are of another network
     */
    static Learner goingOn(Engine engine, LabelledPictures data, List<Weights> weights) {
        Map<String, Weights> byName = new HashMap<>();
        weights.forEach(each -> byName.put(each.name(), each));
        Learner learner = of(engine, data, parameter -> {
            Weights found = byName.remove(parameter.name);
            if (found == null || found.values().length != parameter.length()) {
                throw new IllegalArgumentException(
                        "the checkpoint is of another network: wanted %s with %d values, has %s"
                                .formatted(parameter.name, parameter.length(), found == null ? "none" : found));
            }
            return found;
        });
        if (!byName.isEmpty()) {
            learner.close();
            throw new IllegalArgumentException(
                    "the checkpoint is of another network: nothing here is called %s".formatted(byName.keySet()));
        }
        return learner;
    }

    /** A parameter before it has values. */
    private record Place(String name, Shape shape) {
        int length() {
            return Math.toIntExact(shape.size());
        }

        long fanIn() {
            return shape.dimension() == 1 ? 0 : shape.size() / shape.get(0);
        }
    }

    private static Learner of(Engine engine, LabelledPictures data, Function<Place, Weights> initial) {
        NDManager manager = engine.newBaseManager(Device.cpu());
        try {
            Learner learner = new Learner(manager, Network.of(data.size(), data.classes()));
            learner.initialize(new Shape(1, data.size(), data.size(), data.channels()), initial);
            return learner;
        } catch (RuntimeException | Error e) {
            manager.close();
            throw e;
        }
    }

    private void initialize(Shape input, Function<Place, Weights> initial) {
        Map<String, float[]> velocity = new HashMap<>();
        for (Pair<String, Parameter> each : network.getParameters()) {
            each.getValue().setInitializer((into, shape, type) -> {
                Weights weights = initial.apply(new Place(each.getKey(), shape));
                velocity.put(each.getKey(), weights.velocity());
                return into.create(weights.values(), shape);
            });
        }
        network.initialize(manager, DataType.FLOAT32, input);
        for (Pair<String, Parameter> each : network.getParameters()) {
            float[] values = velocity.get(each.getKey());
            velocities.add(manager.create(values, each.getValue().getArray().getShape()));
        }
    }

    NDManager manager() {
        return manager;
    }

    /** Learns from a batch: its loss before that, and how many pictures were recognised. */
    Outcome step(NdBatch batch, double rate, Ranks ranks) {
        NDArray labels = batch.array(LabelledPicture.LABEL);
        Outcome outcome;
        try (GradientCollector gradients = manager.getEngine().newGradientCollector()) {
            NDList logits = network.forward(store, new NDList(batch.array(LabelledPicture.PIXELS)), true);
            NDArray mean = loss.evaluate(new NDList(labels), logits);
            gradients.backward(mean);
            outcome = new Outcome(mean.getFloat(), correct(logits, labels));
        }
        update((float) rate, ranks);
        return outcome;
    }

    private void update(float rate, Ranks ranks) {
        List<NDArray> weights = arrays();
        List<NDArray> gradients = weights.stream().map(NDArray::getGradient).toList();
        try {
            if (ranks.areSeveral()) {
                average(gradients, ranks);
            }
            for (int i = 0; i < weights.size(); i++) {
                NDArray weight = weights.get(i);
                // sets the gradient to zero, too
                weight.getNDArrayInternal()
                        .sgdUpdate(
                                new NDList(weight, gradients.get(i), velocities.get(i)),
                                new NDList(weight),
                                rate,
                                DECAY,
                                /* rescaleGrad= */ 1,
                                NO_CLIPPING,
                                MOMENTUM,
                                /* lazyUpdate= */ true);
            }
        } finally {
            gradients.forEach(NDArray::close);
        }
    }

    /** All ranks' gradients have one mean, so their weights stay the same. */
    private void average(List<NDArray> gradients, Ranks ranks) {
        int floats = gradients.stream()
                .mapToInt(gradient -> Math.toIntExact(gradient.size()))
                .sum();
        FloatBuffer all = FloatBuffer.allocate(floats);
        gradients.forEach(gradient -> all.put(gradient.toFloatArray()));
        ranks.average(all.array());
        all.flip();
        for (NDArray gradient : gradients) {
            float[] mean = new float[Math.toIntExact(gradient.size())];
            all.get(mean);
            try (NDArray from = manager.create(mean, gradient.getShape())) {
                // copyTo would leave PyTorch with memory that is the collector's
                gradient.subi(gradient).addi(from);
            }
        }
    }

    /** How many pictures of a batch are recognised. */
    long correct(NdBatch batch) {
        NDList logits = network.forward(store, new NDList(batch.array(LabelledPicture.PIXELS)), false);
        return correct(logits, batch.array(LabelledPicture.LABEL));
    }

    private static long correct(NDList logits, NDArray labels) {
        NDArray found = logits.singletonOrThrow().argMax(1).toType(labels.getDataType(), false);
        return found.eq(labels).countNonzero().toType(DataType.INT64, false).getLong();
    }

    private List<NDArray> arrays() {
        return network.getParameters().values().stream()
                .map(Parameter::getArray)
                .toList();
    }

    /** All there is to save. */
    List<Weights> weights() {
        List<String> names = network.getParameters().keys();
        List<NDArray> arrays = arrays();
        List<Weights> weights = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            weights.add(new Weights(
                    names.get(i),
                    arrays.get(i).toFloatArray(),
                    velocities.get(i).toFloatArray()));
        }
        return weights;
    }

    @Override
    public void close() {
        manager.close();
    }
}

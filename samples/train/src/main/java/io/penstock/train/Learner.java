package io.penstock.train;

import ai.djl.Device;
import ai.djl.engine.Engine;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Activation;
import ai.djl.nn.Block;
import ai.djl.nn.Blocks;
import ai.djl.nn.Parameter;
import ai.djl.nn.SequentialBlock;
import ai.djl.nn.convolutional.Conv2d;
import ai.djl.nn.core.Linear;
import ai.djl.nn.pooling.Pool;
import ai.djl.training.GradientCollector;
import ai.djl.training.ParameterStore;
import ai.djl.training.loss.Loss;
import ai.djl.util.Pair;
import io.penstock.djl.NdBatch;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

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
    private static final int FIRST_FILTERS = 16;
    private static final int MOST_FILTERS = 64;
    private static final int LAST_WIDTH = 8;
    private static final int HIDDEN = 128;

    private final NDManager manager;
    private final Block network;
    private final ParameterStore store;
    private final Loss loss = Loss.softmaxCrossEntropyLoss();
    private final List<NDArray> velocities = new ArrayList<>();

    record Outcome(double loss, long correct) {}

    private Learner(NDManager manager, Block network) {
        this.manager = manager;
        this.network = network;
        this.store = new ParameterStore(manager, false);
    }

    static Learner fresh(Engine engine, LabelledPictures data, long seed) {
        return of(engine, data, (name, shape) -> {
            long fanIn = shape.dimension() == 1 ? 0 : shape.size() / shape.get(0);
            return Weights.initial(name, (int) shape.size(), fanIn, seed);
        });
    }

    /**
     * One that goes on.
     * @throws IllegalArgumentException if the weights are of another network
     */
    static Learner goingOn(Engine engine, LabelledPictures data, List<Weights> weights) {
        Map<String, Weights> byName = new HashMap<>();
        weights.forEach(each -> byName.put(each.name(), each));
        Learner learner = of(engine, data, (name, shape) -> {
            Weights found = byName.remove(name);
            if (found == null || found.values().length != shape.size()) {
                throw new IllegalArgumentException(
                        "the checkpoint is of another network: wanted %s with %d values, has %s"
                                .formatted(name, shape.size(), found == null ? "none" : found));
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

    private static Learner of(Engine engine, LabelledPictures data, BiFunction<String, Shape, Weights> initial) {
        NDManager manager = engine.newBaseManager(Device.cpu());
        try {
            Learner learner = new Learner(manager, network(data.size(), data.classes()));
            learner.initialize(new Shape(1, data.channels(), data.size(), data.size()), initial);
            return learner;
        } catch (RuntimeException | Error e) {
            manager.close();
            throw e;
        }
    }

    /**
     * Convolutions that halve the picture until it is about 8 pixels wide, then two linear layers: from
     * {@code f32[n, channels, size, size]} to {@code f32[n, classes]}, logits. It has no dropout, whose random numbers
     * would be state to checkpoint.
     */
    private static Block network(int size, int classes) {
        SequentialBlock network = new SequentialBlock();
        int filters = FIRST_FILTERS;
        int width = size;
        do {
            network.add(Conv2d.builder()
                            .setKernelShape(new Shape(3, 3))
                            .optPadding(new Shape(1, 1))
                            .setFilters(filters)
                            .build())
                    .add(Activation.reluBlock())
                    .add(Pool.maxPool2dBlock(new Shape(2, 2), new Shape(2, 2)));
            filters = Math.min(MOST_FILTERS, 2 * filters);
            width /= 2;
        } while (width > LAST_WIDTH);
        return network.add(Blocks.batchFlattenBlock())
                .add(Linear.builder().setUnits(HIDDEN).build())
                .add(Activation.reluBlock())
                .add(Linear.builder().setUnits(classes).build());
    }

    private void initialize(Shape input, BiFunction<String, Shape, Weights> initial) {
        Map<String, float[]> velocity = new HashMap<>();
        for (Pair<String, Parameter> each : network.getParameters()) {
            each.getValue().setInitializer((into, shape, type) -> {
                Weights weights = initial.apply(each.getKey(), shape);
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

    Outcome step(NdBatch batch, double rate) {
        NDArray labels = batch.array(LabelledPicture.LABEL);
        Outcome outcome;
        try (GradientCollector gradients = manager.getEngine().newGradientCollector()) {
            NDList logits = network.forward(store, new NDList(batch.array(LabelledPicture.PIXELS)), true);
            NDArray mean = loss.evaluate(new NDList(labels), logits);
            gradients.backward(mean);
            outcome = new Outcome(mean.getFloat(), correct(logits, labels));
        }
        update((float) rate);
        return outcome;
    }

    private void update(float rate) {
        List<NDArray> weights = arrays();
        List<NDArray> gradients = weights.stream().map(NDArray::getGradient).toList();
        try {
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

package io.penstock.train;

import ai.djl.Device;
import ai.djl.Model;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Activation;
import ai.djl.nn.Blocks;
import ai.djl.nn.SequentialBlock;
import ai.djl.nn.convolutional.Conv2d;
import ai.djl.nn.core.Linear;
import ai.djl.nn.pooling.Pool;
import ai.djl.training.DefaultTrainingConfig;
import ai.djl.training.GradientCollector;
import ai.djl.training.Trainer;
import ai.djl.training.loss.Loss;
import ai.djl.training.optimizer.Optimizer;
import io.penstock.batch.Batch;
import io.penstock.djl.NdBatch;

/**
 * An autoencoder that needs no labels: it learns to draw a picture, reduced to the means of its tiles, from
 * {@value #CODE} numbers. Its weights take half a megabyte.
 */
final class PictureCoder implements AutoCloseable {

    private static final int SIDE = 224;
    private static final Shape TILE = new Shape(16, 16);
    private static final int TILES = 14 * 14 * 3;
    private static final int CODE = 32;

    private final Model model;
    private final Trainer trainer;
    private float firstLoss = Float.NaN;
    private float lastLoss;

    PictureCoder() {
        PyTorch.load(1);
        model = Model.newInstance("picture coder", Device.cpu(), "PyTorch");
        model.setBlock(new SequentialBlock()
                .add(Conv2d.builder()
                        .setFilters(16)
                        .setKernelShape(TILE)
                        .optStride(TILE)
                        .build())
                .add(Activation::relu)
                .add(Blocks.batchFlattenBlock())
                .add(Linear.builder().setUnits(CODE).build())
                .add(Linear.builder().setUnits(TILES).build()));
        trainer = model.newTrainer(new DefaultTrainingConfig(Loss.l2Loss())
                .optDevices(new Device[] {Device.cpu()})
                .optOptimizer(Optimizer.adam().build()));
        trainer.initialize(new Shape(1, 3, SIDE, SIDE));
    }

    /** Learns from {@code pixels}, {@code u8[n, 224, 224, 3]}. */
    void learn(Batch batch) {
        try (NdBatch arrays = NdBatch.of(batch, trainer.getManager());
                GradientCollector gradients = trainer.newGradientCollector()) {
            NDArray pictures = arrays.array("pixels")
                    .transpose(0, 3, 1, 2)
                    .toType(DataType.FLOAT32, true)
                    .div(255);
            NDArray wanted = Pool.avgPool2d(pictures, TILE, TILE, new Shape(0, 0), false, true)
                    .flatten(1, -1);
            NDArray loss = trainer.getLoss().evaluate(new NDList(wanted), trainer.forward(new NDList(pictures)));
            gradients.backward(loss);
            lastLoss = loss.getFloat();
        }
        firstLoss = Float.isNaN(firstLoss) ? lastLoss : firstLoss;
        trainer.step();
    }

    float firstLoss() {
        return firstLoss;
    }

    float lastLoss() {
        return lastLoss;
    }

    @Override
    public void close() {
        trainer.close();
        model.close();
    }
}

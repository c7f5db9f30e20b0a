package io.penstock.train;

import ai.djl.ndarray.NDList;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Activation;
import ai.djl.nn.Block;
import ai.djl.nn.Blocks;
import ai.djl.nn.SequentialBlock;
import ai.djl.nn.convolutional.Conv2d;
import ai.djl.nn.core.Linear;
import ai.djl.nn.pooling.Pool;

/**
 * Convolutions that halve the picture until it is about 8 pixels wide, then two linear layers. It has no dropout, whose
 * random numbers would be state to checkpoint.
 */
final class Network {

    private static final int FIRST_FILTERS = 16;
    private static final int MOST_FILTERS = 64;
    private static final int LAST_WIDTH = 8;
    private static final int HIDDEN = 128;

    private Network() {}

    /** From {@code f32[n, size, size, channels]}, as pictures lie in batches, to {@code f32[n, classes]}, logits. */
    static Block of(int size, int classes) {
        SequentialBlock network = new SequentialBlock()
                .add(list -> new NDList(list.singletonOrThrow().transpose(0, 3, 1, 2)));
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
}

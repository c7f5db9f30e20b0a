package io.penstock.simulation;

import io.penstock.order.Draw;
import io.penstock.tensor.Schema;
import java.util.random.RandomGenerator;

/** A sample whose content tells which one it is, which stages it passed and what dice it was given. */
record Item(long index, long stages, long dice) {

    static final Schema<Item> SCHEMA = Schema.of(Item.class);

    static final String DICE = "dice";

    private static final long PRIME = 0x9E3779B97F4A7C15L;

    static Item loaded(long index) {
        return new Item(index, index * PRIME, 0);
    }

    Item mapped(int stage) {
        return new Item(index, (stages + stage) * PRIME, dice);
    }

    Item rolled(RandomGenerator random) {
        return new Item(index, stages, random.nextLong());
    }

    /** What a pipeline must deliver for a draw. */
    static Item expected(Draw draw) {
        return loaded(draw.index()).mapped(1).mapped(2).rolled(draw.random(DICE));
    }
}

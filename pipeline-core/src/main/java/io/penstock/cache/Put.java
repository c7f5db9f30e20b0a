package io.penstock.cache;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * The result of a put.
 *
 * @param held      whether the tier holds the key now
 * @param displaced the values that gave way for it, if {@link Entry#handsDown} asked for them
 * @param settled   runs once the displaced values are where they belong; until then the tier still answers with them, as
 *                  far as it counts them
 */
public record Put(boolean held, List<Displaced> displaced, Runnable settled) {

    /** The tier holds the key; nothing gave way. */
    public static final Put HELD = new Put(true, List.of(), () -> {});

    /** The tier has no room for the value. */
    public static final Put REFUSED = new Put(false, List.of(), () -> {});

    /** A value that gave way for another one. */
    public record Displaced(SampleKey key, ByteBuffer value) {}

    /** A put for which nothing gave way. */
    public static Put of(boolean held) {
        return held ? HELD : REFUSED;
    }
}

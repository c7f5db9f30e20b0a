package io.penstock.augment;

/**
 * The erased rectangle of one image.
 *
 * @param region the pixels; empty for none
 * @param noise  the key of the noise, if they are filled with noise
 */
public record Erasure(Region region, long noise) {

    /** Nothing is erased. */
    public static final Erasure NONE = new Erasure(Region.EMPTY, 0);
}

package io.penstock.augment;

/**
 * What is erased of one image.
 *
 * @param region which pixels; empty for none
 * @param noise  the key of the noise they are filled with, where it is noise
 */
public record Erasure(Region region, long noise) {

    /** Nothing is erased. */
    public static final Erasure NONE = new Erasure(Region.EMPTY, 0);
}

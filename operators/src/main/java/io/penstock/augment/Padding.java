package io.penstock.augment;

/** The pixels around an image that is padded before a crop. */
public enum Padding {
    /** Zeros: black. */
    ZERO,
    /** The image mirrored at its edge, the edge itself not repeated: {@code c b [a b c] b a}. */
    REFLECT
}

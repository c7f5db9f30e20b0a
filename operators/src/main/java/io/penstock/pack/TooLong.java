package io.penstock.pack;

/** What becomes of a sequence that is longer than a row. */
public enum TooLong {
    /** The plan is refused with an error that names the sequence. */
    FAIL,
    /** Its first tokens fill a row; the others are left out. */
    CUT,
    /** It is split: whole rows, then a rest that is packed like a short sequence. */
    SPLIT
}

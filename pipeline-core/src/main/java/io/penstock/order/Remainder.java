package io.penstock.order;

/** What becomes of samples that do not divide evenly, over ranks or into batches. */
public enum Remainder {
    /** Left out: every rank draws equally often, every batch is full. */
    DROP,
    /** Filled up with rows that a mask marks as not valid: every rank draws equally often, nothing is left out. */
    PAD,
    /** Kept as they are: some ranks draw once more, the last batch is smaller. */
    KEEP
}

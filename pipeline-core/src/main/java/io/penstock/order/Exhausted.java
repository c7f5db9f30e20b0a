package io.penstock.order;

/** Which of a mixture's sources end its epochs. */
public enum Exhausted {
    /** An epoch ends before any source begins its second pass in the first epoch. */
    FIRST,
    /** An epoch ends when every source ended its first pass in the first epoch; small sources are repeated. */
    ALL
}

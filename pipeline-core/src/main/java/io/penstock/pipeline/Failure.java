package io.penstock.pipeline;

/** Stands for a draw that failed, where its value would stand. */
record Failure(Throwable cause) {

    static Failure of(Throwable thrown) {
        return new Failure(Thrown.signal(thrown));
    }
}

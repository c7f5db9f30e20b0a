package io.penstock.fault;

/** Data could not be read. The message says what failed, where, what was wanted, what came and what to do. */
public abstract sealed class DataException extends RuntimeException
        permits SampleException, StoreException, FormatException, MismatchException {

    private static final long serialVersionUID = 1;

    DataException(String message, Throwable cause) {
        super(message, cause);
    }

    DataException(String message) {
        super(message);
    }
}

package io.penstock.fault;

/**
 * A cache holds another value than loading the sample again gives: says of which sample, and which stage is at fault.
 */
public final class MismatchException extends DataException {

    private static final long serialVersionUID = 1;

    public MismatchException(String message) {
        super(message);
    }
}

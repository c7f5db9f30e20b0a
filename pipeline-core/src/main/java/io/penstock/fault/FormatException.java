package io.penstock.fault;

/** Bytes are not what they should be: a broken image, a truncated archive, metadata that contradicts itself. */
public final class FormatException extends DataException {

    private static final long serialVersionUID = 1;

    public FormatException(String message) {
        super(message);
    }

    public FormatException(String message, Throwable cause) {
        super(message, cause);
    }
}

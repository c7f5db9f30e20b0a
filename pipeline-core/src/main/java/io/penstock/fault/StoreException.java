package io.penstock.fault;

/** Bytes could not be read or listed: a missing folder, an unreadable file, a server that does not answer. */
public final class StoreException extends DataException {

    private static final long serialVersionUID = 1;

    public StoreException(String message) {
        super(message);
    }

    public StoreException(String message, Throwable cause) {
        super(message, cause);
    }
}

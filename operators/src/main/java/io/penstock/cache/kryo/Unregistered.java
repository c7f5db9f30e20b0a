package io.penstock.cache.kryo;

/** A class that is in a value or in bytes, but not among those named; the message is its name. */
final class Unregistered extends RuntimeException {

    private static final long serialVersionUID = 1;

    Unregistered(String className) {
        super(className);
    }
}

package io.penstock.internal;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The hashes that every JDK has, by the names that it has for them. */
public final class Digests {

    private Digests() {}

    /** A new one, to which nothing was added. */
    public static MessageDigest of(String name) {
        try {
            return MessageDigest.getInstance(name);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has " + name, e);
        }
    }
}

package io.penstock.store.internal.copy;

import java.io.IOException;

/** The bytes of a copy do not match its checksums, or it has none. */
public final class DamagedCopyException extends IOException {

    private static final long serialVersionUID = 1;

    public DamagedCopyException(String message) {
        super(message);
    }
}

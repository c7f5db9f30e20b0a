package io.penstock.store;

import java.io.IOException;

/** The bytes of a copy do not come to its checksums, or it has none. */
final class DamagedCopyException extends IOException {

    private static final long serialVersionUID = 1;

    DamagedCopyException(String message) {
        super(message);
    }
}

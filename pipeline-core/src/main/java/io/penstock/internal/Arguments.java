package io.penstock.internal;

/** Refuses arguments that a method cannot take. */
public final class Arguments {

    private Arguments() {}

    /**
     * Refuses an argument that is wrong. For settings: the parts of the message are boxed where nothing is wrong, too.
     * @param message says what was wanted and what came, in the form of {@link String#format}
     */
    @SuppressWarnings("AnnotateFormatMethod") // its annotations are not on this class path
    public static void refuse(boolean wrong, String message, Object... parts) {
        if (wrong) {
            throw new IllegalArgumentException(message.formatted(parts));
        }
    }
}

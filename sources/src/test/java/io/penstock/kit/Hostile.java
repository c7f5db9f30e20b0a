package io.penstock.kit;

import com.sun.management.ThreadMXBean;
import io.penstock.fault.DataException;
import java.lang.management.ManagementFactory;

/**
 * What holds of every parser, whatever bytes it is given: they are read, or refused with an error that says why and that
 * somebody meant, and either takes memory in proportion.
 */
public final class Hostile {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** All that may be allocated for one input, which has some thousand bytes. */
    private static final long MAX = 256L << 20;

    private Hostile() {}

    /** Bytes from a file or a server: bad ones are a {@code FormatException} or a {@code StoreException}, nothing else. */
    public static void bytes(Runnable parser) {
        bounded(() -> {
            try {
                parser.run();
            } catch (DataException refused) {
                requireMeant(refused);
            }
        });
    }

    /**
     * The same of bytes that a library decodes. It trusts them and may fail by accident; what is refused for that says so,
     * and memory does not end.
     */
    public static void decoded(Runnable parser) {
        bounded(() -> {
            try {
                parser.run();
            } catch (DataException refused) {
                requireMessage(refused);
                for (Throwable cause = refused.getCause(); cause != null; cause = cause.getCause()) {
                    if (cause instanceof Error) {
                        throw new AssertionError("refused by accident: " + refused, refused);
                    }
                }
            }
        });
    }

    /** What a program was given as an argument: bad ones may be an {@code IllegalArgumentException}, but none of its children. */
    public static void argument(Runnable parser) {
        bytes(() -> {
            try {
                parser.run();
            } catch (IllegalArgumentException refused) {
                if (refused.getClass() != IllegalArgumentException.class) {
                    throw refused;
                }
                requireMeant(refused);
            }
        });
    }

    private static void bounded(Runnable parser) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        parser.run();
        long taken = THREADS.getCurrentThreadAllocatedBytes() - before;
        if (taken > MAX) {
            throw new AssertionError("one input may take %d bytes of memory, took %d".formatted(MAX, taken));
        }
    }

    /** A reason of its own, and not an accident that was caught and passed on. */
    private static void requireMeant(RuntimeException refused) {
        requireMessage(refused);
        for (Throwable cause = refused.getCause(); cause != null; cause = cause.getCause()) {
            if (isAccident(cause)) {
                throw new AssertionError("refused by accident: " + refused, refused);
            }
        }
    }

    private static void requireMessage(RuntimeException refused) {
        String message = refused.getMessage();
        boolean empty = refused.getCause() != null && refused.getCause().getMessage() == null;
        if (message == null || message.isBlank() || empty && message.endsWith(": null")) {
            throw new AssertionError("an error must say what is wrong: " + refused, refused);
        }
    }

    private static boolean isAccident(Throwable cause) {
        return cause instanceof Error
                || cause instanceof NullPointerException
                || cause instanceof IndexOutOfBoundsException
                || cause instanceof NegativeArraySizeException
                || cause instanceof ClassCastException
                || cause instanceof ArrayStoreException
                || cause instanceof IllegalStateException
                || cause instanceof UnsupportedOperationException
                || cause instanceof java.nio.BufferUnderflowException
                || cause instanceof java.nio.BufferOverflowException;
    }
}

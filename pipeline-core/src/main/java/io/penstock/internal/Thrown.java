package io.penstock.internal;

import io.penstock.fault.SampleException;
import io.penstock.order.Draw;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import reactor.core.Exceptions;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Decides what becomes of a throwable: an error of any class ends the stream as an error.
 *
 * <p>Reactor's operators rethrow {@code VirtualMachineError}, {@code ThreadDeath} and {@code LinkageError} on the
 * thread that runs them ({@link Exceptions#throwIfFatal}). On a worker or an event loop no subscriber learns of it, and
 * the stream waits for ever. So code that may throw them, such as a user's function, a codec or a read of mapped
 * memory, is wrapped here before an operator calls it: what Reactor would rethrow becomes an exception around it.
 */
public final class Thrown {

    private Thrown() {}

    /** What an {@code onError} may carry: the throwable, or an exception around it where Reactor would rethrow it. */
    public static Throwable signal(Throwable thrown) {
        return Exceptions.isFatal(thrown) ? new Carrier(thrown) : thrown;
    }

    /** The function, made to throw only what Reactor signals. */
    public static <A, R> Function<A, R> function(Function<? super A, ? extends R> fn) {
        return value -> {
            try {
                return fn.apply(value);
            } catch (Throwable e) {
                throw rethrown(e);
            }
        };
    }

    /** As {@link #function}. */
    public static <R> Supplier<R> supplier(Supplier<? extends R> supplier) {
        return () -> {
            try {
                return supplier.get();
            } catch (Throwable e) {
                throw rethrown(e);
            }
        };
    }

    /** As {@link #function}. */
    public static <R> Callable<R> callable(Callable<? extends R> callable) {
        return () -> {
            try {
                return callable.call();
            } catch (Throwable e) {
                throw rethrown(e);
            }
        };
    }

    /** As {@link #function}. */
    public static <A> Consumer<A> consumer(Consumer<? super A> consumer) {
        return value -> {
            try {
                consumer.accept(value);
            } catch (Throwable e) {
                throw rethrown(e);
            }
        };
    }

    /** As {@link #function}. */
    public static Runnable runnable(Runnable runnable) {
        return () -> {
            try {
                runnable.run();
            } catch (Throwable e) {
                throw rethrown(e);
            }
        };
    }

    /** Runs a user's cancellation on the way to an end: what it throws is dropped, so that the end is told. */
    public static void dropping(Context context, Runnable cancellation) {
        try {
            cancellation.run();
        } catch (Throwable e) {
            Operators.onErrorDropped(signal(e), context);
        }
    }

    /** The throwable itself, without the exceptions around it that signalling needs. */
    public static Throwable cause(Throwable signalled) {
        Throwable cause = Exceptions.unwrap(signalled); // Reactor wraps what is checked
        return cause instanceof Carrier carrier ? carrier.thrown : cause;
    }

    /** The failure of a stage on one sample, of any throwable. */
    public static SampleException ofSample(String stage, Draw draw, LongFunction<String> names, Throwable thrown) {
        Throwable cause = cause(thrown);
        if (cause instanceof SampleException named) {
            return named;
        }
        String name;
        try {
            name = names.apply(draw.index());
        } catch (Throwable e) { // the failure itself matters more
            name = "(its name cannot be told: " + e + ")";
        }
        return new SampleException(stage, draw.index(), name, cause);
    }

    /**
     * Whether an error policy may retry, skip or replace the sample. An {@code Error} says that the program or the
     * machine is at fault, not one sample, except for a stack that a deeply nested sample overflows.
     */
    public static boolean isTolerable(Throwable signalled) {
        if (!(signalled instanceof SampleException)) {
            return false;
        }
        for (Throwable cause = signalled.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof Error && !(cause instanceof StackOverflowError)) {
                return false;
            }
        }
        return true;
    }

    /** Never returns: throws the throwable itself, checked or not, or the exception around it. */
    static RuntimeException rethrown(Throwable thrown) {
        throw Thrown.<RuntimeException>unchecked(signal(thrown));
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // the compiler alone tells checked from unchecked
    private static <X extends Throwable> X unchecked(Throwable thrown) throws X {
        throw (X) thrown;
    }

    /** An exception around what Reactor would rethrow. */
    private static final class Carrier extends RuntimeException {

        private static final long serialVersionUID = 1;

        final Throwable thrown;

        Carrier(Throwable thrown) {
            super(thrown.toString(), thrown, true, false); // the cause has the stack trace
            this.thrown = thrown;
        }
    }
}

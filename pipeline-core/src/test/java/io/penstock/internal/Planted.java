package io.penstock.internal;

import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
import reactor.core.Exceptions;

/** One throwable of each kind that a user's code may throw, made anew for each test. */
public final class Planted {

    @SuppressWarnings("removal") // later versions of the JDK mean to remove ThreadDeath
    public static final List<Supplier<Throwable>> ALL = List.of(
            () -> new IllegalStateException("planted"),
            () -> new IOException("planted"),
            () -> new StackOverflowError("planted"),
            () -> new NoClassDefFoundError("planted"),
            () -> new OutOfMemoryError("planted"),
            () -> new InternalError("planted"),
            () -> new ExceptionInInitializerError("planted"),
            ThreadDeath::new,
            () -> new AssertionError("planted"));

    private Planted() {}

    /** Those that Reactor rethrows. */
    static List<Supplier<Throwable>> rethrown() {
        return ALL.stream().filter(each -> Exceptions.isFatal(each.get())).toList();
    }
}

package io.penstock.internal;

import io.penstock.fault.StoreException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Work on files whose faults become {@link StoreException}s that say what failed and why. */
public final class FileWork {

    private FileWork() {}

    /** What files may make fail. */
    @FunctionalInterface
    public interface Work<T extends @Nullable Object> {
        T run() throws IOException;
    }

    /** The same without a result. */
    @FunctionalInterface
    public interface Action {
        void run() throws IOException;
    }

    /**
     * The result of some work.
     * @param failed what is to be said if it fails, before the reason: {@code cannot read FILE}
     */
    public static <T extends @Nullable Object> T get(String failed, Work<T> work) {
        try {
            return work.run();
        } catch (IOException e) {
            throw new StoreException(failed + ": " + FileErrors.reason(e), e);
        }
    }

    /** Does some work. */
    public static void run(String failed, Action action) {
        get(failed, () -> {
            action.run();
            return true;
        });
    }
}

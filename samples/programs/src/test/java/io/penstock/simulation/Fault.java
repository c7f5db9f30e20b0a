package io.penstock.simulation;

/** What user code, a codec, a disk or a mapped file may throw, without the cost of a stack trace. */
enum Fault {
    EXCEPTION,
    ASSERTION,
    LINKAGE,
    STACK,
    MEMORY,
    MAPPING;

    Throwable thrown() {
        return switch (this) {
            case EXCEPTION -> new SimulatedException();
            case ASSERTION -> new AssertionError("simulated");
            case LINKAGE -> new NoClassDefFoundError("simulated");
            case STACK -> new StackOverflowError("simulated");
            case MEMORY -> new OutOfMemoryError("simulated");
            case MAPPING -> new InternalError("simulated");
        };
    }

    /** Throws it, unchecked as it is. */
    RuntimeException raise() {
        Throwable thrown = thrown();
        if (thrown instanceof Error error) {
            throw error;
        }
        throw (RuntimeException) thrown;
    }

    private static final class SimulatedException extends RuntimeException {
        private static final long serialVersionUID = 1;

        SimulatedException() {
            super("simulated", null, false, false);
        }
    }
}

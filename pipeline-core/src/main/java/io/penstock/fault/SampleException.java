package io.penstock.fault;

/** One sample could not be loaded: names the stage, the index and the sample, and carries the cause. */
public final class SampleException extends DataException {

    private static final long serialVersionUID = 1;

    private final String stage;
    private final long index;
    private final String name;

    public SampleException(String stage, long index, String name, Throwable cause) {
        super("stage \"%s\" failed on sample %d: %s: %s".formatted(stage, index, name, reason(cause)), cause);
        this.stage = stage;
        this.index = index;
        this.name = name;
    }

    private SampleException(String prefix, SampleException last) {
        super(prefix + last.getMessage(), last);
        this.stage = last.stage;
        this.index = last.index;
        this.name = last.name;
    }

    public static SampleException overBudget(long allowed, SampleException last) {
        return new SampleException("error budget of %d samples is used up: ".formatted(allowed), last);
    }

    /** The cause's message, with its class unless it is an exception of this library. */
    private static String reason(Throwable cause) {
        if (cause instanceof DataException && cause.getMessage() != null) {
            return cause.getMessage();
        }
        return cause.getMessage() == null
                ? cause.getClass().getName()
                : cause.getClass().getSimpleName() + ": " + cause.getMessage();
    }

    public String stage() {
        return stage;
    }

    public long index() {
        return index;
    }

    /** The sample's own name, such as its path. */
    public String name() {
        return name;
    }
}

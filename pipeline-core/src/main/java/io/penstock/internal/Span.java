package io.penstock.internal;

import io.penstock.order.Draw;
import io.penstock.order.Position;
import java.util.function.Supplier;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/**
 * What was done for one draw or one batch, and for how long, as an event of the JDK's flight recorder.
 *
 * <p>Off unless a recording enables it. The compiler then removes {@link #begun} together with the object, since the
 * recorder adds its code to the class only when a recording begins.
 */
@Name(Span.NAME)
@Label("Span")
@Category("Penstock")
@Description("A load, a stage, a hit, a wait for a batch, or the consumer's step")
@Enabled(false)
@StackTrace(false)
public final class Span extends Event {

    public static final String NAME = "io.penstock.Span";

    /** What a span is of. */
    public enum Kind {
        /** Of a sample, by its source; may begin and end on different threads. */
        LOAD,
        /** A stage's function. */
        STAGE,
        /** A tier of the cache had the sample; without a duration. */
        HIT,
        /** The consumer had no batch. */
        WAIT,
        /** The consumer has a batch. */
        STEP
    }

    @Label("Kind")
    @Nullable String kind;

    @Label("Stage")
    @Nullable String stage;

    @Label("Epoch")
    long epoch;

    @Label("Offset")
    @Description("Where the run goes on behind it, in draws of all ranks; 0 behind the last one of the epoch")
    long offset;

    @Label("Number")
    @Description("The sample's index, or the number of the batch in this stream")
    long number;

    @Label("Key")
    @Nullable String key;

    private Span() {}

    /** Begins one; null where no recording wants it. */
    static @Nullable Span begun() {
        Span span = new Span();
        if (!span.isEnabled()) {
            return null;
        }
        span.begin();
        return span;
    }

    /** Ends what was done for a draw. May be called from another thread than the one that began it. */
    public void end(Kind what, String name, Draw draw, Supplier<String> sampleKey) {
        end(what, name, draw.epoch(), draw.next(), draw.index(), sampleKey.get());
    }

    /** Ends what was done with a batch. */
    public void end(Kind what, String name, long ofEpoch, Position next, long ofNumber) {
        end(what, name, ofEpoch, next, ofNumber, null);
    }

    private void end(Kind what, String name, long ofEpoch, Position next, long ofNumber, @Nullable String ofKey) {
        end();
        kind = what.name();
        stage = name;
        epoch = ofEpoch;
        offset = next.offset();
        number = ofNumber;
        key = ofKey;
        commit();
    }
}

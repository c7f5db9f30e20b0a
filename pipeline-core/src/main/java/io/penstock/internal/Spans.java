package io.penstock.internal;

import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/** Begins spans. The first {@link Span} starts the JDK's flight recorder, which takes longer than a small run. */
public final class Spans {

    private Spans() {}

    /** Begins one; null where no recording wants it. */
    public static @Nullable Span begin() {
        return FlightRecorder.isInitialized() ? Span.begun() : null;
    }

    /** Begins some at once. */
    public static List<@Nullable Span> begin(int count) {
        return FlightRecorder.isInitialized()
                ? Stream.generate(Span::begun).limit(count).toList()
                : Collections.nCopies(count, null);
    }
}

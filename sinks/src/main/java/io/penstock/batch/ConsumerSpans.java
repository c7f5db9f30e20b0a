package io.penstock.batch;

import io.penstock.internal.Span;
import io.penstock.internal.Spans;
import io.penstock.order.Position;
import org.jspecify.annotations.Nullable;

/** What a recording is told of a consumer: how long it waits for a batch, then how long it has it. On its thread. */
final class ConsumerSpans {

    private static final String BATCH = "batch";

    private @Nullable Span waiting = Spans.begin();
    private @Nullable Span step;
    private long epoch;
    private Position next = Position.START;
    private long number;

    void begin(Batch batch, long ofNumber) {
        epoch = batch.epoch();
        next = batch.next();
        number = ofNumber;
        if (waiting != null) {
            waiting.end(Span.Kind.WAIT, BATCH, epoch, next, number);
        }
        step = Spans.begin();
    }

    void end() {
        if (step != null) {
            step.end(Span.Kind.STEP, BATCH, epoch, next, number);
        }
        waiting = Spans.begin();
    }
}

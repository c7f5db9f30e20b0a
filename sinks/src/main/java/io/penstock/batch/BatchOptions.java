package io.penstock.batch;

import io.penstock.batch.internal.Memory;
import io.penstock.internal.Arguments;
import io.penstock.internal.GuardedScheduler;
import io.penstock.stream.Execution;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.IntFunction;
import reactor.core.scheduler.Scheduler;

/** Threads and memory of batches. Changes nothing in their content. */
record BatchOptions(int slots, Scheduler consumer, Scheduler workers, IntFunction<ByteBuffer> allocator) {

    private static final int MAX_SLOTS = 1 << 16;

    BatchOptions {
        Arguments.refuse(slots < 1 || slots > MAX_SLOTS, "slots must be in [1, %d], was %d", MAX_SLOTS, slots);
        Objects.requireNonNull(consumer, "consumer");
        Objects.requireNonNull(workers, "workers");
        Objects.requireNonNull(allocator, "allocator");
    }

    static BatchOptions standard() {
        return new BatchOptions(
                3, GuardedScheduler.ELASTIC, Execution.standard().workers(), Memory::aligned);
    }

    BatchOptions slots(int other) {
        return new BatchOptions(other, consumer, workers, allocator);
    }

    BatchOptions consumeOn(Scheduler other) {
        return new BatchOptions(slots, other, workers, allocator);
    }

    BatchOptions fillOn(Scheduler other) {
        return new BatchOptions(slots, consumer, other, allocator);
    }

    BatchOptions allocator(IntFunction<ByteBuffer> other) {
        return new BatchOptions(slots, consumer, workers, other);
    }
}

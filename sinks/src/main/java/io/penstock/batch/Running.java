package io.penstock.batch;

import io.penstock.pipeline.Execution;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.IntFunction;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Where and in what memory batches are made; never changes what is in them. */
record Running(int slots, Scheduler consumer, Scheduler workers, IntFunction<ByteBuffer> allocator) {

    private static final int MAX_SLOTS = 1 << 16;

    Running {
        if (slots < 1 || slots > MAX_SLOTS) {
            throw new IllegalArgumentException("slots must be in [1, %d], was %d".formatted(MAX_SLOTS, slots));
        }
        Objects.requireNonNull(consumer, "consumer");
        Objects.requireNonNull(workers, "workers");
        Objects.requireNonNull(allocator, "allocator");
    }

    static Running standard() {
        return new Running(3, Schedulers.boundedElastic(), Execution.standard().workers(), Memory::aligned);
    }

    Running slots(int other) {
        return new Running(other, consumer, workers, allocator);
    }

    Running consumeOn(Scheduler other) {
        return new Running(slots, other, workers, allocator);
    }

    Running fillOn(Scheduler other) {
        return new Running(slots, consumer, other, allocator);
    }

    Running allocator(IntFunction<ByteBuffer> other) {
        return new Running(slots, consumer, workers, other);
    }
}

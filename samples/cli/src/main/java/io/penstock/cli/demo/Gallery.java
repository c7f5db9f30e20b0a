package io.penstock.cli.demo;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.augment.BoxMove;
import io.penstock.order.Draw;
import io.penstock.stream.Sample;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import reactor.core.publisher.Mono;

/**
 * The last few samples that flowed by, a few a second, for all viewers. The stream leaves two references here and goes
 * on; pictures are encoded, once, by the thread of the first browser that shows them.
 */
final class Gallery {

    static final int KEPT = 8;
    private static final long BETWEEN_NANOS = 250_000_000;

    private final LongSupplier clock;
    private final AtomicLong last;
    private final Deque<Exhibit> kept = new ArrayDeque<>();
    private long hung;

    /** @param clock in nanoseconds */
    Gallery(LongSupplier clock) {
        this.clock = clock;
        this.last = new AtomicLong(clock.getAsLong() - BETWEEN_NANOS);
    }

    void offer(Sample<Shown> sample) {
        long now = clock.getAsLong();
        long before = last.get();
        if (!sample.isPresent() || now - before < BETWEEN_NANOS || !last.compareAndSet(before, now)) {
            return;
        }
        synchronized (kept) {
            if (kept.size() == KEPT) {
                kept.removeFirst();
            }
            Shown value = sample.value();
            kept.addLast(new Exhibit(
                    ++hung, sample.draw(), drawn(value.before(), value.moves()), drawn(value.after(), List.of())));
        }
    }

    /** Adds those later than {@code seen}, the oldest first; the number of the last one there is. */
    long addTo(ArrayNode pictures, long seen, LongFunction<String> names) {
        List<Exhibit> exhibits;
        long newest;
        synchronized (kept) {
            exhibits = List.copyOf(kept);
            newest = hung;
        }
        for (Exhibit exhibit : exhibits) {
            if (exhibit.number > seen) {
                pictures.addObject()
                        .put("number", exhibit.number)
                        .put("epoch", exhibit.draw.epoch())
                        .put("index", exhibit.draw.index())
                        .put("name", names.apply(exhibit.draw.index()))
                        .setAll(Map.of("before", get(exhibit.before), "after", get(exhibit.after)));
            }
        }
        return newest;
    }

    private record Exhibit(long number, Draw draw, Mono<ObjectNode> before, Mono<ObjectNode> after) {}

    /** A scene as it is drawn, encoded by the first that asks for it. */
    private static Mono<ObjectNode> drawn(Scene scene, List<BoxMove> moves) {
        return Mono.fromSupplier(() -> Drawn.of(scene, moves)).cache();
    }

    private static ObjectNode get(Mono<ObjectNode> drawn) {
        return drawn.blockOptional().orElseThrow();
    }
}

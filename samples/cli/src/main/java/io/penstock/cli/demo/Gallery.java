package io.penstock.cli.demo;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
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
import org.jspecify.annotations.Nullable;

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

    /** A sample that came, if it came with a value. */
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
                    ++hung,
                    sample.draw(),
                    new Lazy(value.before(), value.moves()),
                    new Lazy(value.after(), List.of())));
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
                        .setAll(Map.of("before", exhibit.before.drawn(), "after", exhibit.after.drawn()));
            }
        }
        return newest;
    }

    private record Exhibit(long number, Draw draw, Lazy before, Lazy after) {}

    /** A scene as it is drawn, encoded by the first that asks for it. */
    private static final class Lazy {
        private final Scene scene;
        private final List<BoxMove> moves;
        private final Object encoding = new Object();
        private @Nullable ObjectNode drawn;

        Lazy(Scene scene, List<BoxMove> moves) {
            this.scene = scene;
            this.moves = moves;
        }

        ObjectNode drawn() {
            synchronized (encoding) {
                ObjectNode node = drawn;
                if (node == null) {
                    node = JsonNodeFactory.instance.objectNode();
                    Drawn.addTo(node, scene, moves);
                    drawn = node;
                }
                return node;
            }
        }
    }
}

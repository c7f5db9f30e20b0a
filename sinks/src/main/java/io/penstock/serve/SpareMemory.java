package io.penstock.serve;

import io.penstock.batch.Batch;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntFunction;
import reactor.core.publisher.Flux;

/**
 * The memory of batches that are made one by one, used again: the first touch of new pages costs more than filling them.
 *
 * <p>Memory returns when a batch that was delivered is closed. That of a run which was cancelled does not: a thread may
 * still be filling it.
 */
final class SpareMemory {

    private static final int MAX = 32; // buffers

    private final Deque<ByteBuffer> spare = new ArrayDeque<>();

    /** The only batch of a run that is given an allocator. */
    Flux<Batch> lend(Function<IntFunction<ByteBuffer>, Flux<Batch>> run) {
        return Flux.defer(() -> {
            List<ByteBuffer> lent = Collections.synchronizedList(new ArrayList<>());
            return run.apply(bytes -> {
                        ByteBuffer buffer = take(bytes);
                        lent.add(buffer);
                        return buffer.slice(0, bytes).order(buffer.order());
                    })
                    .map(batch -> batch.with(Map.of(), () -> giveBack(lent)));
        });
    }

    private ByteBuffer take(int bytes) {
        synchronized (spare) {
            for (Iterator<ByteBuffer> all = spare.iterator(); all.hasNext(); ) {
                ByteBuffer buffer = all.next();
                if (buffer.capacity() >= bytes && buffer.capacity() / 2 <= bytes) {
                    all.remove();
                    return buffer;
                }
            }
        }
        return RunMemory.ofProcess().apply(bytes);
    }

    private void giveBack(List<ByteBuffer> lent) {
        synchronized (spare) {
            lent.forEach(spare::addFirst);
            while (spare.size() > MAX) {
                spare.removeLast();
            }
        }
    }
}

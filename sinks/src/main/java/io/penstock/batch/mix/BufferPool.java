package io.penstock.batch.mix;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.IntFunction;

/** Direct buffers that are used again once their batch is closed. Thread-safe. */
final class BufferPool {

    /** More are left to the garbage collector. */
    private static final int KEPT = 16;

    private final Deque<ByteBuffer> free = new ConcurrentLinkedDeque<>();

    /** The buffers of one batch, given back together. Used by one thread at a time. */
    final class Lease implements IntFunction<ByteBuffer>, AutoCloseable {

        private final List<ByteBuffer> lent = new ArrayList<>();

        @Override
        public ByteBuffer apply(int bytes) {
            ByteBuffer buffer = take(bytes);
            lent.add(buffer);
            return buffer.slice(0, bytes).order(ByteOrder.LITTLE_ENDIAN);
        }

        @Override
        public void close() {
            for (ByteBuffer buffer : lent) {
                if (free.size() < KEPT) {
                    free.push(buffer);
                }
            }
        }
    }

    Lease lease() {
        return new Lease();
    }

    /** A free buffer that is not much too large, or a new one. */
    private ByteBuffer take(int bytes) {
        for (Iterator<ByteBuffer> each = free.iterator(); each.hasNext(); ) {
            ByteBuffer buffer = each.next();
            if (buffer.capacity() >= bytes && buffer.capacity() / 2 <= bytes && free.remove(buffer)) {
                return buffer;
            }
        }
        return ByteBuffer.allocateDirect(bytes);
    }
}

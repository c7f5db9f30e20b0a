package io.penstock.serve;

import java.nio.ByteBuffer;
import java.util.function.IntFunction;

/** Gives the memory that the batches of one run are stacked in: buffers of at least a number of bytes. */
interface RunMemory extends IntFunction<ByteBuffer>, AutoCloseable {

    int ALIGNMENT = 64;

    /** The run is over. Buffers that were given out stay valid; memory of this process alone is the collector's. */
    @Override
    default void close() {}

    static RunMemory ofProcess() {
        return bytes -> ByteBuffer.allocateDirect(Math.addExact(bytes, 2 * ALIGNMENT))
                .alignedSlice(ALIGNMENT)
                .slice(0, bytes);
    }
}

package io.penstock.serve;

import java.nio.ByteBuffer;
import java.util.function.IntFunction;

/** The memory that the batches of one run are stacked in. */
interface RunMemory extends IntFunction<ByteBuffer>, AutoCloseable {

    int ALIGNMENT = 64;

    /** A buffer of at least this many bytes. */
    @Override
    ByteBuffer apply(int bytes);

    /** The run is over. Buffers that were given out stay valid; memory of this process alone is the collector's. */
    @Override
    default void close() {}

    /** Memory of this process alone. */
    static RunMemory ofProcess() {
        return bytes -> ByteBuffer.allocateDirect(Math.addExact(bytes, 2 * ALIGNMENT))
                .alignedSlice(ALIGNMENT)
                .slice(0, bytes);
    }
}

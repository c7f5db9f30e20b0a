package io.penstock.serve;

import java.nio.ByteBuffer;
import java.util.function.IntFunction;

/** What the batches of one run lie in. */
interface RunMemory extends IntFunction<ByteBuffer>, AutoCloseable {

    int ALIGNMENT = 64;

    /** A buffer of at least so many bytes. */
    @Override
    ByteBuffer apply(int bytes);

    /** No further run needs it; what was handed out stays valid. */
    @Override
    void close();

    /** Memory of this process alone. */
    static RunMemory ofProcess() {
        return new RunMemory() {
            @Override
            public ByteBuffer apply(int bytes) {
                return ByteBuffer.allocateDirect(Math.addExact(bytes, 2 * ALIGNMENT))
                        .alignedSlice(ALIGNMENT)
                        .slice(0, bytes);
            }

            @Override
            public void close() {
                // the collector's
            }
        };
    }
}

package io.penstock.store.internal;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** The bytes of a stream in zstd, of all its frames. Its library is optional, so this is a class of its own. */
public final class ZstdStream {

    /** The shortest frame has more bytes. */
    private static final int TAIL = 4;

    private ZstdStream() {}

    /**
     * The bytes that were compressed.
     * @param packed says by {@code available} how many bytes there are
     */
    public static InputStream open(InputStream packed) throws IOException {
        return new ZstdInputStreamNoFinalizer(new EndByBytes(packed));
    }

    /**
     * Gives the last bytes one by one. The library leaves out without a word what follows a frame and is shorter than a
     * frame's head, but for what it had to ask for.
     */
    private static final class EndByBytes extends FilterInputStream {

        EndByBytes(InputStream packed) {
            super(packed);
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            return super.read(into, offset, Math.min(length, Math.max(1, in.available() - TAIL)));
        }
    }
}

package io.penstock.shard;

import io.penstock.store.StoreFile;
import io.penstock.store.internal.StoreInput;

/** The bytes of a tar archive, for the scan. */
interface TarBytes extends AutoCloseable {

    long size();

    /** Reads a range; it is shorter only at the end of the archive. */
    byte[] at(long offset, int length);

    @Override
    default void close() {}

    static TarBytes of(StoreFile file) {
        StoreInput input = file.input();
        return new TarBytes() {
            @Override
            public long size() {
                return file.size();
            }

            @Override
            public byte[] at(long offset, int length) {
                input.seek(offset);
                byte[] bytes = new byte[(int) Math.max(0, Math.min(length, size() - offset))];
                for (int count = 0; count < bytes.length; ) {
                    count += input.read(bytes, count, bytes.length - count);
                }
                return bytes;
            }

            @Override
            public void close() {
                input.close();
            }
        };
    }
}

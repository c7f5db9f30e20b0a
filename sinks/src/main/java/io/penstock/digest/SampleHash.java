package io.penstock.digest;

import com.dynatrace.hash4j.hashing.ByteAccess;
import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * The 64-bit hash of a sample: XXH3 of each field's bytes where they lie, chained with its dtype and shape.
 *
 * <p>The chain of a hash and a number is XXH3-64 (seed 0) of both as little-endian 64-bit integers. A sample's hash
 * starts with its index and is chained with the number of fields, then for each with XXH3-64 of the dtype's name in
 * UTF-16LE, the number of axes, each axis length, and XXH3-64 of the bytes. It must never change: digests are written
 * down and compared later.
 *
 * <p>A hash stream would do it in one pass, but copies through its own buffer; hashing each field in one call reads the
 * buffer itself, twice as fast.
 *
 * @see <a href="https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md">the xxHash specification</a>
 */
final class SampleHash {

    private static final Hasher64 XXH3 = Hashing.xxh3_64();
    private static final ByteAccess<ByteBuffer> BYTES = ByteAccess.forByteBuffer(ByteOrder.LITTLE_ENDIAN);

    private SampleHash() {}

    static long of(long index, List<Tensor> fields) {
        long hash = chain(index, fields.size());
        for (Tensor field : fields) {
            Shape shape = field.shape();
            hash = chain(hash, XXH3.hashCharsToLong(field.dtype().toString()));
            hash = chain(hash, shape.rank());
            for (int axis = 0; axis < shape.rank(); axis++) {
                hash = chain(hash, shape.dim(axis));
            }
            hash = chain(hash, XXH3.hashBytesToLong(field.data(), 0, field.byteSize(), BYTES));
        }
        return hash;
    }

    /** A hash of what came before and one number more. */
    static long chain(long hash, long next) {
        return XXH3.hashLongLongToLong(hash, next);
    }
}

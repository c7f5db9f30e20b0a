package io.penstock.cache.slot;

import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.UUID;

/** A name for a file in shared memory, which is gone after the test. */
final class SlotsFixture implements AutoCloseable {

    final Path file = directory().resolve("penstock-test-" + UUID.randomUUID());

    static Path directory() {
        Path shared = Path.of("/dev/shm");
        return Files.isWritable(shared) ? shared : Path.of(System.getProperty("java.io.tmpdir"));
    }

    /** A sample that tells its index and version: any byte of another one is found. */
    static Tensor sample(long index, int version, DType dtype, long... dims) {
        Shape shape = Shape.of(dims);
        byte[] bytes = new byte[(int) shape.elements() * dtype.bytes()];
        new SplittableRandom(index * 31 + version).nextBytes(bytes);
        return Tensor.of(dtype, shape, ByteBuffer.wrap(bytes));
    }

    @Override
    public void close() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}

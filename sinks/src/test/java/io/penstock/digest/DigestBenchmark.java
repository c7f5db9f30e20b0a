package io.penstock.digest;

import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** How fast samples are hashed, against a copy of the same bytes in the same round. Run by hand. */
public final class DigestBenchmark {

    private DigestBenchmark() {}

    public static void main(String[] args) {
        measure(150_528, 1_000);
        measure(1_024, 20_000);
    }

    private static void measure(int bytes, int samples) {
        ByteBuffer target = ByteBuffer.allocateDirect(bytes);
        List<List<Tensor>> rows = IntStream.range(0, samples)
                .mapToObj(i -> List.of(Tensor.of(
                        DType.U8,
                        Shape.of(bytes),
                        ByteBuffer.allocateDirect(bytes).putInt(0, i))))
                .toList();
        long copy = Long.MAX_VALUE;
        long hash = Long.MAX_VALUE;
        long sum = 0;
        for (int round = 0; round < 20; round++) {
            long started = System.nanoTime();
            rows.forEach(row -> row.get(0).copyTo(target, 0));
            long copied = System.nanoTime();
            for (List<Tensor> row : rows) {
                sum += SampleHash.of(round, row);
            }
            long hashed = System.nanoTime();
            copy = Math.min(copy, copied - started);
            hash = Math.min(hash, hashed - copied);
        }
        double gigabytes = (double) bytes * samples;
        System.out.printf(
                Locale.ROOT,
                "%d bytes: copy %.2f GB/s, digest %.2f GB/s, %.0f ns a sample (%x)%n",
                bytes,
                gigabytes / copy,
                gigabytes / hash,
                (double) hash / samples,
                sum);
    }
}

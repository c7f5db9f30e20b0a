package io.penstock.peers;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Samples of one length; each begins with its index.
 *
 * @param samples     of an epoch
 * @param sampleBytes of each
 * @param batch       of an epoch
 */
record PeerLoad(int samples, int sampleBytes, int batch) {

    /** All samples one after another in a file of their own. */
    Path write(Path folder) {
        Path file = folder.resolve(sampleBytes + ".bin");
        byte[] sample = pattern();
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 20)) {
            for (int i = 0; i < samples; i++) {
                ByteBuffer.wrap(sample).putInt(i);
                out.write(sample);
            }
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    byte[] pattern() {
        byte[] pattern = new byte[sampleBytes];
        new SplittableRandom(1).nextBytes(pattern);
        return pattern;
    }

    List<Integer> shuffled(long seed) {
        List<Integer> order =
                new ArrayList<>(IntStream.range(0, samples).boxed().toList());
        Collections.shuffle(order, new Random(seed));
        return order;
    }

    @Override
    public String toString() {
        return sampleBytes < 10_000 ? sampleBytes / 1024 + " KiB" : sampleBytes / 1000 + " KB";
    }
}

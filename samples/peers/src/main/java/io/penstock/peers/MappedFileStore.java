package io.penstock.peers;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The limit: values of one length in a mapped file. */
final class MappedFileStore implements SampleStore {

    private final MappedByteBuffer[] parts;
    private final int sampleBytes;
    private final int samplesAPart;

    MappedFileStore(Path file, int samples, int sampleBytes) throws IOException {
        this.sampleBytes = sampleBytes;
        this.samplesAPart = (1 << 30) / sampleBytes;
        this.parts = new MappedByteBuffer[(samples + samplesAPart - 1) / samplesAPart];
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            long size = (long) samplesAPart * sampleBytes;
            for (int i = 0; i < parts.length; i++) {
                parts[i] = channel.map(
                        FileChannel.MapMode.READ_WRITE,
                        i * size,
                        Math.min(size, (long) samples * sampleBytes - i * size));
            }
        }
    }

    @Override
    public void put(long key, ByteBuffer value) {
        parts[(int) key / samplesAPart].put((int) key % samplesAPart * sampleBytes, value, 0, sampleBytes);
    }

    @Override
    public void read(long key, ByteBuffer batch, int at) {
        batch.put(at, parts[(int) key / samplesAPart], (int) key % samplesAPart * sampleBytes, sampleBytes);
    }
}

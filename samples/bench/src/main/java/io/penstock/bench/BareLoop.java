package io.penstock.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The limit: one thread that only copies samples, in a known order, from direct memory to a direct batch buffer. */
public final class BareLoop {

    private final ByteBuffer[] samples;
    private final int[] offsets;
    private final int sampleBytes;
    private final ByteBuffer batch;

    private BareLoop(ByteBuffer[] samples, int[] offsets, int sampleBytes, int batch) {
        this.samples = samples;
        this.offsets = offsets;
        this.sampleBytes = sampleBytes;
        this.batch = ByteBuffer.allocateDirect(Math.multiplyExact(batch, sampleBytes));
    }

    /** Over one plain direct buffer of all samples. */
    public static BareLoop overOneBuffer(MadeRecords records, int sampleBytes, int batch) {
        int count = Math.toIntExact(records.size());
        ByteBuffer all = ByteBuffer.allocateDirect(Math.multiplyExact(count, sampleBytes));
        int[] offsets = new int[count];
        for (int i = 0; i < count; i++) {
            offsets[i] = i * sampleBytes;
            records.at(i).copyTo(all, offsets[i]);
        }
        return new BareLoop(new ByteBuffer[] {all}, offsets, sampleBytes, batch);
    }

    /** Over one mapped file of all samples. */
    public static BareLoop overOneFile(Path file, MadeRecords records, int sampleBytes, int batch) throws IOException {
        int count = Math.toIntExact(records.size());
        int[] offsets = new int[count];
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer sample = ByteBuffer.allocateDirect(sampleBytes);
            for (int i = 0; i < count; i++) {
                offsets[i] = Math.multiplyExact(i, sampleBytes);
                records.at(i).copyTo(sample, 0);
                channel.write(sample.clear(), offsets[i]);
            }
            ByteBuffer all = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
            return new BareLoop(new ByteBuffer[] {all}, offsets, sampleBytes, batch);
        }
    }

    /** Over a view for each sample, as in a cache; the sample is the last {@code sampleBytes} of its view. */
    public static BareLoop overViews(ByteBuffer[] views, int sampleBytes, int batch) {
        int[] offsets = new int[views.length];
        for (int i = 0; i < views.length; i++) {
            offsets[i] = views[i].limit() - sampleBytes;
        }
        return new BareLoop(views, offsets, sampleBytes, batch);
    }

    byte[] row(int number) {
        byte[] bytes = new byte[sampleBytes];
        batch.get(number * sampleBytes, bytes);
        return bytes;
    }

    /** Copies the samples in this order, and returns the seconds. */
    public double seconds(int[] order) {
        int end = batch.capacity();
        int at = 0;
        long started = System.nanoTime();
        if (samples.length == 1) {
            ByteBuffer all = samples[0];
            for (int index : order) {
                batch.put(at, all, offsets[index], sampleBytes);
                at = at + sampleBytes == end ? 0 : at + sampleBytes;
            }
        } else {
            for (int index : order) {
                batch.put(at, samples[index], offsets[index], sampleBytes);
                at = at + sampleBytes == end ? 0 : at + sampleBytes;
            }
        }
        return (System.nanoTime() - started) / 1e9;
    }
}

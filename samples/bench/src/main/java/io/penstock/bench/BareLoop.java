package io.penstock.bench;

import io.penstock.pipeline.Dataset;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/** The limit: one thread that only copies samples, in a known order, from direct memory to a direct batch buffer. */
public final class BareLoop {

    private final ByteBuffer[] samples;
    private final int[] offsets;
    private final int sampleBytes;
    private final ByteBuffer batch;

    private BareLoop(ByteBuffer[] samples, int[] offsets, MeasuredEpoch epoch) {
        this.samples = samples;
        this.offsets = offsets;
        this.sampleBytes = epoch.sampleBytes();
        this.batch = ByteBuffer.allocateDirect(Math.multiplyExact(epoch.batch(), sampleBytes));
    }

    public static BareLoop overOneBuffer(MeasuredEpoch epoch) {
        return over(ByteBuffer.allocateDirect(Math.multiplyExact(epoch.samples(), epoch.sampleBytes())), epoch);
    }

    public static BareLoop overOneFile(Path file, MeasuredEpoch epoch) throws IOException {
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            long size = Math.multiplyExact(epoch.samples(), epoch.sampleBytes());
            return over(channel.map(FileChannel.MapMode.READ_WRITE, 0, size), epoch);
        }
    }

    private static BareLoop over(ByteBuffer all, MeasuredEpoch epoch) {
        int[] offsets = new int[epoch.samples()];
        Dataset<Tensor> records = epoch.records();
        for (int i = 0; i < offsets.length; i++) {
            offsets[i] = i * epoch.sampleBytes();
            records.get(i).blockOptional().orElseThrow().copyTo(all, offsets[i]);
        }
        return new BareLoop(new ByteBuffer[] {all}, offsets, epoch);
    }

    /** Over a view for each sample, as in a cache; the sample is the end of its view. */
    public static BareLoop overViews(ByteBuffer[] views, MeasuredEpoch epoch) {
        int[] offsets = new int[views.length];
        Arrays.setAll(offsets, i -> views[i].limit() - epoch.sampleBytes());
        return new BareLoop(views, offsets, epoch);
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
        return Seconds.since(started);
    }
}

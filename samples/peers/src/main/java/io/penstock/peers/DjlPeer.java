package io.penstock.peers;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.training.dataset.Batch;
import ai.djl.training.dataset.RandomAccessDataset;
import ai.djl.training.dataset.Record;
import ai.djl.translate.TranslateException;
import ai.djl.util.Progress;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** DJL, which has no cache: this data set keeps its records in arrays. Batches are arrays of DJL's engine. */
final class DjlPeer implements Peer {

    private final PeerLoad load;
    private final NDManager manager = NDManager.newBaseManager();
    private final FileChannel file;
    private final Kept dataset;

    DjlPeer(PeerLoad load, Path data) throws IOException {
        this.load = load;
        this.file = FileChannel.open(data, StandardOpenOption.READ);
        this.dataset = new Kept(new Builder().setSampling(load.batch(), true));
    }

    private static final class Builder extends RandomAccessDataset.BaseBuilder<Builder> {
        @Override
        protected Builder self() {
            return this;
        }
    }

    /** Records of the file, kept after the first read. */
    private final class Kept extends RandomAccessDataset {
        private final byte[][] kept = new byte[load.samples()][];

        Kept(Builder builder) {
            super(builder);
        }

        @Override
        public Record get(NDManager manager, long index) throws IOException {
            byte[] bytes = kept[(int) index];
            if (bytes == null) {
                bytes = read(index);
                kept[(int) index] = bytes;
            }
            NDArray array = manager.create(ByteBuffer.wrap(bytes), new Shape(load.sampleBytes()), DataType.UINT8);
            return new Record(new NDList(array), new NDList());
        }

        private byte[] read(long index) throws IOException {
            ByteBuffer bytes = ByteBuffer.allocate(load.sampleBytes());
            while (bytes.hasRemaining()) {
                if (file.read(bytes, index * load.sampleBytes() + bytes.position()) < 0) {
                    throw new IOException("the file ends in sample " + index);
                }
            }
            return bytes.array();
        }

        @Override
        protected long availableSize() {
            return load.samples();
        }

        @Override
        public void prepare(Progress progress) {
            // nothing to fetch
        }
    }

    private double epoch() throws IOException, TranslateException {
        long began = System.nanoTime();
        long taken = 0;
        for (Batch batch : dataset.getData(manager)) {
            taken += batch.getSize();
            batch.close();
        }
        if (taken != load.samples()) {
            throw new IllegalStateException("DJL gave %d of %d samples".formatted(taken, load.samples()));
        }
        return (System.nanoTime() - began) / 1e9;
    }

    @Override
    public double[] seconds(int epochs) throws IOException, TranslateException {
        double[] seconds = new double[epochs];
        for (int epoch = 0; epoch < epochs; epoch++) {
            seconds[epoch] = epoch();
        }
        return seconds;
    }

    @Override
    public void close() throws IOException {
        manager.close();
        file.close();
    }
}

package io.penstock.peers;

import ai.djl.Device;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.training.dataset.ArrayDataset;
import ai.djl.training.dataset.Batch;
import ai.djl.translate.TranslateException;
import io.penstock.bench.Seconds;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/**
 * DJL on PyTorch: all records in one array in memory, of which {@code ArrayDataset} takes rows, shuffled, for two
 * batches ahead, on a thread for each processor. PyTorch has no threads beside these.
 */
final class DjlPeer implements AutoCloseable {

    private static final int AHEAD = 2;

    private final ExecutorService threads =
            Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
    private final NDManager manager;
    private final ArrayDataset records;

    /** Reads the file. */
    DjlPeer(Work work, Path data) throws IOException {
        // DJL is told these things in no other way
        System.setProperty("OPT_OUT_TRACKING", "true");
        System.setProperty("ai.djl.offline", "true");
        System.setProperty("ai.djl.pytorch.num_threads", "1");
        this.manager = NDManager.newBaseManager(Device.cpu(), "PyTorch");
        ByteBuffer bytes = ByteBuffer.allocateDirect(Math.multiplyExact(work.samples(), work.sampleBytes()));
        try (FileChannel file = FileChannel.open(data)) {
            while (bytes.hasRemaining() && file.read(bytes) >= 0) {
                // until it is full
            }
        }
        Shape shape = new Shape(work.samples(), work.sampleBytes());
        this.records = new ArrayDataset.Builder()
                .setData(manager.create(bytes.flip(), shape, DataType.UINT8))
                .setSampling(work.epoch().batch(), true)
                .optPrefetchNumber(AHEAD)
                .build();
    }

    /** Gives the batches of an epoch, and closes them. */
    void epoch(Consumer<Batch> taken) throws IOException, TranslateException {
        for (Batch batch : records.getData(manager, threads)) {
            try (batch) {
                taken.accept(batch);
            }
        }
    }

    /** Seconds of each epoch; the first reads the file. */
    static double[] seconds(Work work, Path data, int epochs) throws IOException, TranslateException {
        double[] seconds = new double[epochs];
        long began = System.nanoTime();
        try (DjlPeer peer = new DjlPeer(work, data)) {
            for (int epoch = 0; epoch < epochs; epoch++) {
                peer.epoch(batch -> {});
                seconds[epoch] = Seconds.since(began);
                began = System.nanoTime();
            }
        }
        return seconds;
    }

    @Override
    public void close() {
        threads.shutdown();
        manager.close();
    }
}

package io.penstock.peers;

import java.nio.ByteBuffer;

/** A store as a peer: one thread writes all values in order, then reads them in shuffled order into batches. */
record StorePeer(SampleStore store, PeerLoad load) implements Peer {

    @Override
    public double[] seconds(int epochs) throws Exception {
        double[] seconds = new double[epochs];
        seconds[0] = write();
        for (int epoch = 1; epoch < epochs; epoch++) {
            seconds[epoch] = read(epoch);
        }
        return seconds;
    }

    private double write() throws Exception {
        ByteBuffer value = ByteBuffer.allocateDirect(load.sampleBytes()).put(load.pattern());
        long began = System.nanoTime();
        for (int i = 0; i < load.samples(); i++) {
            value.clear().putInt(0, i);
            store.put(i, value);
        }
        store.settle();
        return (System.nanoTime() - began) / 1e9;
    }

    private double read(long seed) throws Exception {
        ByteBuffer batch = ByteBuffer.allocateDirect(load.batch() * load.sampleBytes());
        int at = 0;
        long began = System.nanoTime();
        for (int index : load.shuffled(seed)) {
            store.read(index, batch, at);
            if (batch.getInt(at) != index) {
                throw new IllegalStateException("%s gives another value for %d"
                        .formatted(store.getClass().getSimpleName(), index));
            }
            at = (at + load.sampleBytes()) % batch.capacity();
        }
        return (System.nanoTime() - began) / 1e9;
    }

    @Override
    public void close() {
        store.close();
    }
}

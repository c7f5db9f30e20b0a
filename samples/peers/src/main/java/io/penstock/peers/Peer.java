package io.penstock.peers;

import java.nio.file.Path;

/** Somebody's cache, ours among them: empty at first. */
interface Peer extends AutoCloseable {

    /** Seconds of each of several epochs: the first fills it, the others are shuffled and come out of it. */
    double[] seconds(int epochs);

    @Override
    void close();

    /** How to open one. */
    @FunctionalInterface
    interface Kind {
        /**
         * Opens an empty one.
         * @param data   all samples in one file
         * @param folder that is not there yet, for what is kept
         */
        Peer open(PeerLoad load, Path data, Path folder);
    }
}

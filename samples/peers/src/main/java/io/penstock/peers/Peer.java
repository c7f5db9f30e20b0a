package io.penstock.peers;

import java.io.IOException;
import java.nio.file.Path;

/** A cache or loader, empty at first. */
interface Peer extends AutoCloseable {

    /** Seconds of each epoch: the first fills the cache, the others are shuffled and read it. */
    double[] seconds(int epochs) throws Exception;

    @Override
    void close() throws IOException;

    /** Opens an empty peer. */
    @FunctionalInterface
    interface Kind {
        /**
         * Opens one.
         * @param data   a file of all samples
         * @param folder for the peer's files, which does not exist yet
         */
        Peer open(PeerLoad load, Path data, Path folder) throws Exception;
    }
}

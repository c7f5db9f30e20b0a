package io.penstock.train;

import ai.djl.engine.Engine;

/** The engine that computes. */
public final class PyTorch {

    private PyTorch() {}

    /**
     * Loads it, from jars alone and without telling anyone; the first load of a process decides.
     * @param threads what one step uses; with one, the same batches give the same weights, bit by bit
     */
    public static Engine load(int threads) {
        // DJL is told these things in no other way
        System.setProperty("OPT_OUT_TRACKING", "true");
        System.setProperty("ai.djl.offline", "true");
        System.setProperty("ai.djl.pytorch.num_interop_threads", "1");
        System.setProperty("ai.djl.pytorch.num_threads", Integer.toString(threads));
        return Engine.getEngine("PyTorch");
    }
}

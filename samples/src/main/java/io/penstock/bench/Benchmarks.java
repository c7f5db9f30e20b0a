package io.penstock.bench;

import java.util.List;

/** All benchmarks there are. */
public final class Benchmarks {

    private Benchmarks() {}

    /** In the order in which they run. */
    public static List<Benchmark> all() {
        return List.of(
                new WarmEpochs(),
                new DiskEpochs(),
                new DrawCost(),
                new DecodeSpeed(),
                new StageCost(),
                new IndexMemory(),
                new DistantSource(),
                new FlatMemory());
    }
}

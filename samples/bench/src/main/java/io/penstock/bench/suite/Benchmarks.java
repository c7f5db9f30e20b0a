package io.penstock.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** All benchmarks there are. */
public final class Benchmarks {

    private Benchmarks() {}

    /** In the order in which they run; those of the build with {@code -Ppeers} come last. */
    public static List<Benchmark> all() {
        List<Benchmark> all = new ArrayList<>(List.of(
                new WarmEpochs(),
                new DiskEpochs(),
                new FirstEpoch(),
                new DrawCost(),
                new DecodeSpeed(),
                new StageCost(),
                new IndexMemory(),
                new DistantSource(),
                new FlatMemory(),
                new ZarrRows(),
                new Profile()));
        ServiceLoader.load(Benchmark.class).forEach(all::add);
        return List.copyOf(all);
    }
}

package io.penstock.bench.command;

import io.penstock.bench.Benchmark;
import io.penstock.bench.caching.Epochs;
import io.penstock.bench.caching.NearFar;
import io.penstock.bench.caching.Policies;
import io.penstock.bench.caching.Sweep;
import io.penstock.bench.experiment.Figures;
import io.penstock.bench.scaling.Latency;
import io.penstock.bench.scaling.Scale;
import io.penstock.bench.suite.DecodeSpeed;
import io.penstock.bench.suite.DiskEpochs;
import io.penstock.bench.suite.DistantSource;
import io.penstock.bench.suite.DrawCost;
import io.penstock.bench.suite.FirstEpoch;
import io.penstock.bench.suite.FlatMemory;
import io.penstock.bench.suite.IndexMemory;
import io.penstock.bench.suite.Profile;
import io.penstock.bench.suite.StageCost;
import io.penstock.bench.suite.WarmEpochs;
import io.penstock.bench.suite.ZarrRows;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/** All benchmarks and experiments there are. */
final class Benchmarks {

    private Benchmarks() {}

    /** In the order in which they run; those of the module peers stand before the experiments. */
    static List<Benchmark> all() {
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
        Stream.of(new Sweep(), new Policies(), new Epochs(), new NearFar(), new Latency(), new Scale())
                .map(Figures::new)
                .forEach(all::add);
        return List.copyOf(all);
    }
}

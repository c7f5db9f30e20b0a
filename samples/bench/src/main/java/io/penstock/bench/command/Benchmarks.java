package io.penstock.bench.command;

import io.penstock.bench.Benchmark;
import io.penstock.bench.caching.Epochs;
import io.penstock.bench.caching.NearFar;
import io.penstock.bench.caching.Policies;
import io.penstock.bench.caching.Sweep;
import io.penstock.bench.experiment.ExperimentBenchmark;
import io.penstock.bench.scaling.Cluster;
import io.penstock.bench.scaling.Latency;
import io.penstock.bench.scaling.LazyShards;
import io.penstock.bench.scaling.ObjectBucket;
import io.penstock.bench.scaling.Scale;
import io.penstock.bench.scaling.SeveralServers;
import io.penstock.bench.scaling.Stragglers;
import io.penstock.bench.suite.DecodeSpeed;
import io.penstock.bench.suite.DiskEpochs;
import io.penstock.bench.suite.DistantSource;
import io.penstock.bench.suite.DrawCost;
import io.penstock.bench.suite.FirstEpoch;
import io.penstock.bench.suite.FlatMemory;
import io.penstock.bench.suite.MixedEpochs;
import io.penstock.bench.suite.PackedRows;
import io.penstock.bench.suite.ParquetRows;
import io.penstock.bench.suite.StageCost;
import io.penstock.bench.suite.TfRecordRows;
import io.penstock.bench.suite.WarmEpochs;
import io.penstock.bench.suite.ZarrRows;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** All benchmarks and experiments. */
final class Benchmarks {

    private Benchmarks() {}

    /** In the order in which they run: those of the module peers come before the experiments. */
    static List<Benchmark> all() {
        List<Benchmark> all = new ArrayList<>(List.of(
                new WarmEpochs(),
                new MixedEpochs(),
                new DiskEpochs(),
                new FirstEpoch(),
                new DrawCost(),
                new DecodeSpeed(),
                new StageCost(),
                new DistantSource(),
                new ObjectBucket(),
                new FlatMemory(),
                new ZarrRows(),
                new TfRecordRows(),
                new ParquetRows(),
                new PackedRows(),
                new Cluster(),
                new SeveralServers()));
        ServiceLoader.load(Benchmark.class).forEach(all::add);
        all.addAll(List.of(
                new ExperimentBenchmark("sweep", "Epoch time by the share of the data that is cached", Sweep::new),
                new ExperimentBenchmark("policies", "Hit ratio by policy and capacity", Policies::new),
                new ExperimentBenchmark("epochs", "Time of each epoch with a cache and without", Epochs::new),
                new ExperimentBenchmark(
                        "near-far",
                        "Epoch times of near and far files, with a cache and without, by 1 and 4 workers",
                        NearFar::new),
                new ExperimentBenchmark(
                        "latency", "How long a hit and a miss of each tier take, and an epoch by them", Latency::new),
                new ExperimentBenchmark("scale", "What more samples and more ranks cost", Scale::new),
                new ExperimentBenchmark("stragglers", "How long a trainer waits for slow samples", Stragglers::new),
                new ExperimentBenchmark("lazy", "What lazy shards hold, load and take", LazyShards::new)));
        return List.copyOf(all);
    }
}

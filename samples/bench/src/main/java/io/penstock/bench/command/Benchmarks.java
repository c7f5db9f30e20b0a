package io.penstock.bench.command;

import io.penstock.bench.Benchmark;
import io.penstock.bench.Garbage;
import io.penstock.bench.experiment.Epochs;
import io.penstock.bench.experiment.Latency;
import io.penstock.bench.experiment.LazyShards;
import io.penstock.bench.experiment.NearFar;
import io.penstock.bench.experiment.Policies;
import io.penstock.bench.experiment.Sweep;
import io.penstock.bench.experiment.TrainingStep;
import io.penstock.bench.suite.Accelerators;
import io.penstock.bench.suite.DecodeSpeed;
import io.penstock.bench.suite.DiskEpochs;
import io.penstock.bench.suite.DistantSource;
import io.penstock.bench.suite.DrawCost;
import io.penstock.bench.suite.FirstEpoch;
import io.penstock.bench.suite.KafkaRates;
import io.penstock.bench.suite.PackedRows;
import io.penstock.bench.suite.Scale;
import io.penstock.bench.suite.TfRecordRows;
import io.penstock.bench.suite.WarmEpochs;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** The table of all benchmarks. */
final class Benchmarks {

    private static final List<Benchmark> TABLE = List.of(
            Benchmark.of("warm", "a warm epoch from RAM against a bare copying loop", WarmEpochs::ram),
            Benchmark.of("disk", "a warm epoch from disk against a bare loop, and opening it", DiskEpochs::run),
            Benchmark.of("first-epoch", "processor time of filling a disk cache", FirstEpoch::run)
                    .in(Garbage.FLAGS),
            Benchmark.of("draws", "time and allocation of a draw and of resuming, by JMH", DrawCost::run),
            Benchmark.of("decode", "JPEG decode and resize against OpenCV called bare", DecodeSpeed::run),
            Benchmark.of("stage", "what an empty stage costs after a RAM hit", WarmEpochs::stages),
            Benchmark.of("distant", "a source 5 ms away, 64 in flight", DistantSource::run),
            Benchmark.of("flat", "the heap over 100 warm epochs", WarmEpochs::flat)
                    .in(WarmEpochs.FLAT_HEAP),
            Benchmark.of("tfrecord", "records of a TFRecord file against a bare reader", TfRecordRows::run)
                    .in(Garbage.FLAGS),
            Benchmark.of("kafka", "records of the topics of a broker against a bare consumer", KafkaRates::run),
            Benchmark.of("packing", "how full packed rows are against Grain's best fit", PackedRows::run),
            Benchmark.of("scale", "what an order and an index hold in memory", Scale::samples),
            Benchmark.of("cluster", "what 1,000 ranks and 10^10 samples take, by arithmetic", Scale::ranks),
            Benchmark.experiment(
                    "sweep",
                    "an epoch's time by the share of the data that is cached",
                    bench -> Sweep.run(bench, TrainingStep.TIMED)),
            Benchmark.experiment("policies", "hit ratio by policy and capacity", Policies::run),
            Benchmark.experiment(
                    "epochs",
                    "the time of each epoch with a cache and without",
                    bench -> Epochs.run(bench, TrainingStep.TIMED)),
            Benchmark.experiment("near-far", "near and far files, with a cache and without", NearFar::run),
            Benchmark.experiment("latency", "how long a hit and a miss of each tier take", Latency::run),
            Benchmark.experiment("mlperf", "how many emulated H100s of MLPerf Storage are kept busy", Accelerators::run)
                    .in(Accelerators.ROOM),
            Benchmark.experiment("lazy", "what lazy shards hold, load and take", LazyShards::run));

    private Benchmarks() {}

    /** In the order in which they run, those of other modules last. */
    static List<Benchmark> all() {
        List<Benchmark> all = new ArrayList<>(TABLE);
        ServiceLoader.load(Benchmark.Added.class).forEach(added -> all.addAll(added.benchmarks()));
        return List.copyOf(all);
    }
}

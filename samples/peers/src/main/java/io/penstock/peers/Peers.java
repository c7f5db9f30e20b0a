package io.penstock.peers;

import io.penstock.bench.Benchmark;
import java.util.List;

/** The benchmarks of this module: the service loader makes one. */
public final class Peers implements Benchmark.Added {

    /** LMDB reads private fields of the JDK's buffers. */
    private static final List<String> BUFFERS =
            List.of("--add-opens=java.base/java.nio=ALL-UNNAMED", "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED");

    @Override
    public List<Benchmark> benchmarks() {
        return List.of(
                Benchmark.experiment("peers", "caches and loaders of others beside ours", PeerComparison::run)
                        .in(BUFFERS),
                Benchmark.experiment(
                        "tensorflow", "JPEG decode and resize against TensorFlow", TensorFlowDecoder::run));
    }
}

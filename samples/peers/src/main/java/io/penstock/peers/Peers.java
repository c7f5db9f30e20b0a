package io.penstock.peers;

import io.penstock.bench.experiment.ExperimentBenchmark;
import java.util.List;
import java.util.stream.Stream;

/** {@code penstock bench peers}, of which the service loader makes one. */
public final class Peers extends ExperimentBenchmark {

    private static final List<String> BUFFERS =
            List.of("--add-opens=java.base/java.nio=ALL-UNNAMED", "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED");

    public Peers() {
        super("peers", "Caches and loaders of others beside ours, cold and warm", PeerComparison::new);
    }

    /** LMDB reads private fields of the JDK's buffers. */
    @Override
    public List<String> flags() {
        return Stream.concat(super.flags().stream(), BUFFERS.stream()).toList();
    }
}

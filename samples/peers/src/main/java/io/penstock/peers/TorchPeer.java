package io.penstock.peers;

import io.penstock.bench.ChildProcess;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** PyTorch's DataLoader, in a process of Python. */
final class TorchPeer {

    static final String MISSING =
            "PyTorch is skipped: no python3 on the PATH imports torch; to have one: python3 -m venv ENV && "
                    + "ENV/bin/pip install torch && PATH=ENV/bin:$PATH";

    private static final String SCRIPT = "torch_loader.py";

    private final String python;

    private TorchPeer(String python) {
        this.python = python;
    }

    /** By the first interpreter that has PyTorch. */
    static Optional<TorchPeer> find() {
        return List.of("python3", "/usr/bin/python3").stream()
                .filter(TorchPeer::hasTorch)
                .findFirst()
                .map(TorchPeer::new);
    }

    private static boolean hasTorch(String python) {
        try (ChildProcess child = ChildProcess.start(List.of("sh", "-c", python + " -c 'import torch' 2>/dev/null"))) {
            return child.join() == 0;
        }
    }

    /**
     * Seconds of each epoch. Each reads the file: there is no cache.
     * @param workers processes that load; with none Python's own thread does
     */
    double[] seconds(Work work, Path data, int workers, int epochs) throws IOException {
        try (InputStream script = Objects.requireNonNull(TorchPeer.class.getResourceAsStream(SCRIPT), SCRIPT);
                ChildProcess child = ChildProcess.start(List.of(
                        python,
                        "-c",
                        new String(script.readAllBytes(), StandardCharsets.UTF_8),
                        data.toString(),
                        Integer.toString(work.sampleBytes()),
                        Integer.toString(work.epoch().batch()),
                        Integer.toString(workers),
                        Integer.toString(epochs)))) {
            double[] seconds =
                    child.lines().stream().mapToDouble(Double::parseDouble).toArray();
            if (child.join() != 0 || seconds.length != epochs) {
                throw new IllegalStateException("PyTorch's DataLoader ended early: its message is above");
            }
            return seconds;
        }
    }
}

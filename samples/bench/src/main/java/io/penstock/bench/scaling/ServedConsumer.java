package io.penstock.bench.scaling;

import io.penstock.bench.ChildProcess;
import io.penstock.serve.client.RemoteBatch;
import io.penstock.serve.client.RemoteBatches;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Who takes the batches of servers. */
enum ServedConsumer {
    JAVA {
        @Override
        void take(List<URI> addresses, Runnable took) {
            for (RemoteBatch batch : RemoteBatches.of(addresses).stream().toIterable(1)) {
                batch.batch().close();
                took.run();
            }
        }
    },
    PYTHON {
        @Override
        void take(List<URI> addresses, Runnable took) {
            List<String> command = new ArrayList<>(List.of("python3", SCRIPT.toString()));
            addresses.forEach(address -> command.add(address.toString()));
            try {
                Process python = new ProcessBuilder(command)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
                try (BufferedReader lines = python.inputReader(StandardCharsets.UTF_8)) {
                    while (lines.readLine() != null) {
                        took.run();
                    }
                }
                if (python.waitFor() != 0) {
                    throw new IllegalStateException("the consumer in Python failed: its message is above");
                }
            } catch (IOException e) {
                throw new UncheckedIOException("cannot start python3", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while python3 took batches", e);
            }
        }
    };

    private static final Path SCRIPT = Path.of("samples/python/bench/take_served.py");

    /** Takes all batches, in order. */
    abstract void take(List<URI> addresses, Runnable took);

    /** Those that run here: Python needs numpy, and the folder of the repository as the current one. */
    static List<ServedConsumer> present() {
        try {
            return Files.exists(SCRIPT) && ChildProcess.run("python3", "-c", "import numpy")
                    ? List.of(JAVA, PYTHON)
                    : List.of(JAVA);
        } catch (IOException e) {
            return List.of(JAVA); // there is no python3
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of(JAVA);
        }
    }

    @Override
    public String toString() {
        return this == JAVA ? "Java" : "Python";
    }
}

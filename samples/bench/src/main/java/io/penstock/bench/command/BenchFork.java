package io.penstock.bench.command;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.bench.BenchOptions;
import io.penstock.bench.Benchmark;
import io.penstock.bench.ChildProcess;
import io.penstock.cli.Main;
import io.penstock.cli.console.Reason;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Runs one benchmark in a JVM of its own, with the flags of this one. */
final class BenchFork {

    private BenchFork() {}

    static boolean hasFlagsFor(Benchmark benchmark) {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().containsAll(benchmark.flags());
    }

    /**
     * Runs it and waits. Its progress goes to the standard error of this process.
     * @throws IllegalStateException if it failed; its own message is on standard error
     */
    static List<ObjectNode> run(Benchmark benchmark, BenchOptions options) {
        String name = benchmark.name();
        List<ObjectNode> results = new ArrayList<>();
        Process process = null;
        try {
            process = new ProcessBuilder(command(benchmark, options))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            try (BufferedReader lines =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                ObjectMapper json = new ObjectMapper();
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    if (line.startsWith("{")) { // the JVM prints warnings here too
                        results.add(json.readValue(line, ObjectNode.class));
                    }
                }
            }
            int status = process.waitFor();
            if (status != 0) {
                throw new IllegalStateException("benchmark \"%s\" ended with status %d".formatted(name, status));
            }
            return results;
        } catch (IOException e) {
            throw new IllegalStateException("benchmark \"%s\" cannot be run: %s".formatted(name, Reason.of(e)), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("benchmark \"%s\" was interrupted".formatted(name), e);
        } finally {
            if (process != null) {
                process.destroy();
            }
        }
    }

    private static List<String> command(Benchmark benchmark, BenchOptions options) {
        List<String> command = ChildProcess.command(Main.class, benchmark.flags());
        command.addAll(List.of("bench", benchmark.name(), "--json"));
        if (options.quick()) {
            command.add("--quick");
        }
        if (options.pictures() != null) {
            command.addAll(List.of("--data", options.pictures().toString()));
        }
        if (benchmark.leavesFiles() && options.out() != null) {
            command.addAll(List.of("--out", options.out().toString()));
        }
        return command;
    }
}

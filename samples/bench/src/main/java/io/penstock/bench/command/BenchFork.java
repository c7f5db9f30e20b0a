package io.penstock.bench.command;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.bench.Benchmark;
import io.penstock.bench.ChildProcess;
import io.penstock.cli.Main;
import io.penstock.cli.console.Reason;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs one benchmark in a JVM of its own, with the flags of this one. */
final class BenchFork {

    private BenchFork() {}

    static boolean hasFlagsFor(Benchmark benchmark) {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().containsAll(benchmark.flags());
    }

    /**
     * Runs it and waits; returns the lines that it prints. Its progress goes to the standard error of this process.
     * @throws IllegalStateException if it failed; its own message is on standard error
     */
    static List<ObjectNode> run(Benchmark benchmark, boolean quick, @Nullable Path pictures) {
        List<Object> words = new ArrayList<>(List.of("bench", benchmark.name(), "--json"));
        if (quick) {
            words.add("--quick");
        }
        if (pictures != null) {
            words.addAll(List.of("--data", pictures));
        }
        try (ChildProcess child = ChildProcess.start(benchmark.flags(), Main.class, words.toArray())) {
            ObjectMapper json = new ObjectMapper();
            List<ObjectNode> lines = new ArrayList<>();
            for (String line : child.lines()) {
                if (line.startsWith("{")) { // the JVM prints warnings here too
                    lines.add(json.readValue(line, ObjectNode.class));
                }
            }
            int status = child.join();
            if (status != 0) {
                throw new IllegalStateException(
                        "benchmark \"%s\" ended with status %d".formatted(benchmark.name(), status));
            }
            return lines;
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(
                    "benchmark \"%s\" cannot be run: %s".formatted(benchmark.name(), Reason.of(e)), e);
        }
    }
}

package io.penstock.bench;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Programs that benchmarks start, a JVM with the flags and the class path of this one among them. */
public final class ChildProcess {

    private ChildProcess() {}

    /**
     * The command without the program's own arguments.
     * @param more flags beside those of this JVM
     */
    public static List<String> command(Class<?> program, List<String> more) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> !flag.startsWith("-agentlib") && !flag.startsWith("-javaagent"))
                .forEach(command::add);
        command.addAll(more);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        return command;
    }

    /** Whether a Redis server can be started here: one is on the path. */
    public static boolean hasRedis() {
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .flatMap(folder -> Stream.of("redis-server", "valkey-server").map(Path.of(folder)::resolve))
                .anyMatch(Files::isExecutable);
    }

    /** Runs a program to its end; whether it ended well. Its output is dropped. */
    public static boolean run(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .waitFor()
                == 0;
    }
}

package io.penstock.cli;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command line, or another program on the classes under test, in a process of its own. */
public final class CliProcess {

    private CliProcess() {}

    public static Process java(String... arguments) throws IOException {
        return builder(arguments).start();
    }

    public static ProcessBuilder builder(String... arguments) {
        List<String> command = command();
        command.add(Main.class.getName());
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command);
    }

    /** Java with the classes under test; a main class is to follow. */
    public static List<String> command() {
        List<String> command = javaFlags();
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        return command;
    }

    /** Java and the launcher's flags: what Chronicle needs opened, and what keeps later JDKs quiet. */
    public static List<String> javaFlags() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> flag.startsWith("--") || flag.equals("-XX:+IgnoreUnrecognizedVMOptions"))
                .forEach(command::add);
        return command;
    }
}

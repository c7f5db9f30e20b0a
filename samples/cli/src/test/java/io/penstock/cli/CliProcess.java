package io.penstock.cli;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command line, or another program on the classes under test, in a process of its own. */
public final class CliProcess {

    /** How flags begin that a child takes over. BlockHound's are not among them: the JVM prints a warning for them. */
    private static final List<String> KEPT =
            List.of("--", "-XX:+IgnoreUnrecognizedVMOptions", "-XX:TieredStopAtLevel", "-XX:+UseSerialGC");

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

    /** Has a program act on SIGINT, also where the tests are a shell's background job, whose children ignore it. */
    public static ProcessBuilder interruptible(ProcessBuilder builder) {
        builder.command().addAll(0, List.of("env", "--default-signal=INT"));
        return builder;
    }

    /** Java with the classes under test; a main class is to follow. */
    public static List<String> command() {
        List<String> command = javaFlags();
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        return command;
    }

    /** Java and flags of this JVM: what Chronicle needs opened, what keeps later JDKs quiet, what starts sooner. */
    public static List<String> javaFlags() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> KEPT.stream().anyMatch(flag::startsWith))
                .forEach(command::add);
        return command;
    }
}

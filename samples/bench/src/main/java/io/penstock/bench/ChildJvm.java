package io.penstock.bench;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command of a JVM with the flags and the class path of this one. */
public final class ChildJvm {

    private ChildJvm() {}

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
}

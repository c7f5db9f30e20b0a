package io.penstock.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A program that a benchmark starts, one in Java with the flags and the class path of this JVM. It may print a word when
 * it has come to a point, and wait there until its parent lets it go on.
 */
public final class ChildProcess implements AutoCloseable {

    private final Process process;
    private final BufferedReader output;

    private ChildProcess(Process process) {
        this.process = process;
        this.output = process.inputReader(StandardCharsets.UTF_8);
    }

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

    /** Starts a program with these words as its arguments. Its errors go to those of this process. */
    public static ChildProcess start(List<String> flags, Class<?> program, Object... words) {
        List<String> command = command(program, flags);
        Stream.of(words).map(Object::toString).forEach(command::add);
        return start(command);
    }

    /** Starts any program. Its errors go to those of this process. */
    public static ChildProcess start(List<String> command) {
        try {
            return new ChildProcess(new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + command.get(0), e);
        }
    }

    /** In the child: prints the word with what belongs to it, and waits. False if the parent has ended. */
    @SuppressWarnings("SystemOut") // the parent reads it
    public static boolean reached(String word, Object rest) throws IOException {
        System.out.println(word + " " + rest);
        return System.in.read() >= 0;
    }

    /** Waits until the child has come to a point; returns what it printed behind the word. */
    public String await(String word) {
        try {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (line.startsWith(word + " ")) { // the JVM prints warnings here too
                    return line.substring(word.length() + 1);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read what a process prints", e);
        }
        throw new IllegalStateException("a process ended before it was " + word + ": its message is above");
    }

    public void release() {
        try {
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException("a process ended early: its message is above", e);
        }
    }

    public List<String> lines() {
        return output.lines().toList();
    }

    public int join() {
        try {
            return process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while a process ended", e);
        }
    }

    @Override
    public void close() {
        process.destroy();
    }
}

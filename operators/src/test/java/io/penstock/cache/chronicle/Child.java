package io.penstock.cache.chronicle;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Another process that works on the same directory and says line by line what it has done. */
final class Child implements AutoCloseable {

    private final Process process;
    private final BufferedReader lines;

    private Child(Process process) {
        this.process = process;
        this.lines = process.inputReader(StandardCharsets.UTF_8);
    }

    static Child start(Class<?> main, Path directory, Object... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+IgnoreUnrecognizedVMOptions",
                "--sun-misc-unsafe-memory-access=allow",
                "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
                "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName(),
                directory.toString()));
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        return new Child(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start());
    }

    /** The next line; {@code null} when it has ended. */
    String line() throws IOException {
        return lines.readLine();
    }

    /** Everything it still said before it ended. */
    List<String> rest() throws IOException {
        List<String> rest = new ArrayList<>();
        for (String line = line(); line != null; line = line()) {
            rest.add(line);
        }
        return rest;
    }

    /** Ends it as the kernel does when memory is short: no handler runs. */
    void kill() throws InterruptedException {
        process.toHandle().destroyForcibly(); // the process's own method would close what it has said too
        process.waitFor();
    }

    /** Ends it as a user does, so that its hooks run. */
    void terminate() throws InterruptedException {
        process.toHandle().destroy();
        process.waitFor();
    }

    int exit() throws InterruptedException {
        return process.waitFor();
    }

    /** Lets it go on past a point where it waits for a line. */
    void goOn() throws IOException {
        process.outputWriter(StandardCharsets.UTF_8).append("go\n").flush();
    }

    /** For the child: its output, not buffered. */
    static PrintStream output() {
        return new PrintStream(new java.io.FileOutputStream(java.io.FileDescriptor.out), true, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}

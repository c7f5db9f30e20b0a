package io.penstock.bench.scaling;

import io.penstock.bench.ChildProcess;
import io.penstock.serve.BatchServer;
import io.penstock.serve.ServerPlan;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Servers that are processes of their own, so that they can be killed. */
final class ServerProcesses implements AutoCloseable {

    private static final String SERVING = "serving ";

    private final List<Process> processes = new ArrayList<>();
    private final List<URI> addresses = new ArrayList<>();

    ServerProcesses(int number, int batches, Duration each) {
        try {
            for (int i = 0; i < number; i++) {
                List<String> command = ChildProcess.command(ServerProcesses.class, List.of("-XX:TieredStopAtLevel=1"));
                command.addAll(List.of(Integer.toString(batches), each.toString()));
                processes.add(new ProcessBuilder(command)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start());
            }
            for (Process process : processes) {
                addresses.add(address(process));
            }
        } catch (IOException e) {
            close();
            throw new UncheckedIOException("cannot start %d servers".formatted(number), e);
        }
    }

    private static URI address(Process process) throws IOException {
        BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(SERVING)) { // the JVM prints warnings here too
                return URI.create(line.substring(SERVING.length()));
            }
        }
        throw new IOException("a server ended before it said its address: its message is above");
    }

    List<URI> addresses() {
        return addresses;
    }

    /** Kills one (SIGKILL); returns at once. */
    void kill(int number) {
        processes.get(number).destroyForcibly();
    }

    @Override
    public void close() {
        processes.forEach(Process::destroyForcibly);
    }

    /** A server, until its parent closes standard input. Arguments: how many batches, and the time of each sample. */
    @SuppressWarnings("SystemOut") // the parent reads it
    public static void main(String[] words) throws IOException {
        try (BatchServer server = ServerPlan.of(new BoundServer(Integer.parseInt(words[0]), Duration.parse(words[1])))
                .start()) {
            System.out.println(SERVING + server.address());
            while (System.in.read() >= 0) {
                // the parent says nothing
            }
        }
    }
}

package io.penstock.bench.scaling;

import io.penstock.bench.ChildProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Ranks of one machine, each a process of its own. A rank prints a word when it has come to a point, and waits there
 * until all ranks have.
 */
final class RankProcesses implements AutoCloseable {

    private final List<Process> processes = new ArrayList<>();
    private final List<BufferedReader> outputs = new ArrayList<>();

    /**
     * Starts a program once for each rank.
     * @param words its arguments behind the rank and the number of ranks
     */
    RankProcesses(Class<?> program, int ranks, List<String> words) {
        try {
            for (int rank = 0; rank < ranks; rank++) {
                List<String> command = ChildProcess.command(program, List.of());
                command.addAll(List.of(Integer.toString(rank), Integer.toString(ranks)));
                command.addAll(words);
                Process process = new ProcessBuilder(command)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
                processes.add(process);
                outputs.add(
                        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)));
            }
        } catch (IOException e) {
            close();
            throw new UncheckedIOException("cannot start %d ranks".formatted(ranks), e);
        }
    }

    /** In a rank: prints the word with what belongs to it, and waits. False if the parent has ended. */
    @SuppressWarnings("SystemOut") // the parent reads it
    static boolean reached(String word, String rest) throws IOException {
        System.out.println(word + " " + rest);
        return System.in.read() >= 0;
    }

    /** Waits until all ranks have come to a point; returns what each printed behind its word. */
    List<String> await(String word) {
        List<String> rests = new ArrayList<>();
        for (BufferedReader output : outputs) {
            rests.add(rest(output, word));
        }
        return rests;
    }

    private static String rest(BufferedReader output, String word) {
        try {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (line.startsWith(word + " ")) { // the JVM prints warnings here too
                    return line.substring(word.length() + 1);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read what a rank prints", e);
        }
        throw new IllegalStateException("a rank ended before it was " + word + ": its message is above");
    }

    /** Lets all ranks go on that wait. */
    void release() {
        try {
            for (Process process : processes) {
                process.getOutputStream().write('\n');
                process.getOutputStream().flush();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("a rank ended early: its message is above", e);
        }
    }

    /** Releases the ranks and waits until all have ended: each closes its cache. */
    void end() {
        release();
        try {
            for (Process process : processes) {
                process.waitFor();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while ranks ended", e);
        }
    }

    @Override
    public void close() {
        processes.forEach(Process::destroy);
    }
}

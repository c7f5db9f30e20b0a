package io.penstock.bench.scaling;

import io.penstock.bench.ChildProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Ranks of one machine, each a process of its own, that share a cache on disk. They fill it together, wait for each
 * other and then run warm epochs.
 */
final class RankProcesses {

    private RankProcesses() {}

    /**
     * The work of the ranks.
     *
     * @param samples     of an epoch, over all ranks
     * @param sampleBytes of each
     * @param batch       of each rank
     * @param before      epochs that fill the cache and warm up
     * @param epochs      that are measured
     */
    record Load(int samples, int sampleBytes, int batch, int before, int epochs) {

        List<String> words() {
            return IntStream.of(samples, sampleBytes, batch, before, epochs)
                    .mapToObj(Integer::toString)
                    .toList();
        }

        static Load parse(List<String> words) {
            int[] numbers = words.stream().mapToInt(Integer::parseInt).toArray();
            return new Load(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]);
        }
    }

    /** Samples a second of all ranks, from the moment when all are ready until the last is done. */
    static double samplesPerSecond(Path cache, int ranks, Load load) {
        List<Process> processes = new ArrayList<>();
        try {
            for (int rank = 0; rank < ranks; rank++) {
                processes.add(new ProcessBuilder(command(cache, rank, ranks, load))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start());
            }
            List<BufferedReader> told = new ArrayList<>();
            for (Process process : processes) {
                told.add(new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)));
            }
            for (BufferedReader rank : told) {
                await(rank, RankProcess.READY);
            }
            long began = System.nanoTime();
            for (Process process : processes) {
                process.getOutputStream().write('\n');
                process.getOutputStream().flush();
            }
            for (BufferedReader rank : told) {
                await(rank, RankProcess.DONE);
            }
            double seconds = (System.nanoTime() - began) / 1e9;
            for (Process process : processes) {
                process.waitFor(); // it closes its cache
            }
            return load.samples() * load.epochs() / seconds;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run %d ranks".formatted(ranks), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while %d ranks ran".formatted(ranks), e);
        } finally {
            processes.forEach(Process::destroy);
        }
    }

    private static void await(BufferedReader rank, String word) throws IOException {
        for (String line = rank.readLine(); line != null; line = rank.readLine()) {
            if (line.equals(word)) { // the JVM prints warnings here too
                return;
            }
        }
        throw new IllegalStateException("a rank ended before it was " + word + ": its message is above");
    }

    private static List<String> command(Path cache, int rank, int ranks, Load load) {
        List<String> command = ChildProcess.command(RankProcess.class, List.of());
        command.addAll(List.of(cache.toString(), Integer.toString(rank), Integer.toString(ranks)));
        command.addAll(load.words());
        return command;
    }
}

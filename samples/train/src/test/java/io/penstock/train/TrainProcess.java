package io.penstock.train;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.cli.Cli;
import io.penstock.cli.CliProcess;
import io.penstock.cli.Main;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** {@code train --json} in a process of its own, which can be killed, and beside which others train. */
record TrainProcess(Process process, Path out, Path err) implements AutoCloseable {

    /**
     * Starts it.
     * @param folder    for what it prints
     * @param arguments with blanks between them
     */
    static TrainProcess start(Path folder, String arguments) throws IOException {
        List<String> command = CliProcess.command();
        command.add(1, "-Xmx512m");
        command.addAll(List.of(Main.class.getName(), "train", "--json"));
        command.addAll(Arrays.asList(arguments.trim().split(" +")));
        Path out = Files.createTempFile(folder, "train", ".out");
        Path err = Files.createTempFile(folder, "train", ".err");
        return new TrainProcess(
                new ProcessBuilder(command)
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile())
                        .start(),
                out,
                err);
    }

    /** One that comes to a good end. */
    static Cli trained(Path folder, String arguments) throws IOException, InterruptedException {
        try (TrainProcess run = start(folder, arguments)) {
            Cli end = run.end();
            assertThat(end.status()).as(end.err()).isZero();
            return end;
        }
    }

    /** Of the weights, the optimizer and the place in the data. */
    static String weights(Cli run) {
        return run.done().path("weights_digest").asText();
    }

    static JsonNode lastEpoch(Cli run) {
        return run.epoch(run.epochs().size() - 1);
    }

    /** Waits until it has told of the given number of epochs. */
    void awaitEpochs(int count) throws IOException {
        while (soFar().out().lines().count() < count) {
            assertThat(process.isAlive()).as(soFar().err()).isTrue();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
        }
    }

    /** {@code kill -9}, in mid-run. */
    void kill() throws IOException, InterruptedException {
        process.destroyForcibly().waitFor();
        assertThat(soFar().out()).doesNotContain("done");
    }

    /** What it has printed by now. */
    Cli soFar() throws IOException {
        return new Cli(-1, Files.readString(out), Files.readString(err));
    }

    /** Waits for its end; what it said as a command. */
    Cli end() throws IOException, InterruptedException {
        if (!process.waitFor(300, TimeUnit.SECONDS)) {
            throw new AssertionError("training has not ended: " + soFar().err());
        }
        return new Cli(process.exitValue(), Files.readString(out), Files.readString(err));
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}

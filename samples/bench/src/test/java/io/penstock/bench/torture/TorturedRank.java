package io.penstock.bench.torture;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One rank of a job: a process that is started again where it was each time it ends before its time. */
final class TorturedRank {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** A process, and the thread that takes down what it tells. */
    private record Running(Process process, Thread reader) {}

    private final Path errors;
    private final Toll toll;
    private final Map<Long, Long> digests = new HashMap<>(); // by epoch
    private @Nullable Running running;
    private volatile @Nullable String token;
    private volatile long lastSign;

    /** @param errors where its processes say what is wrong */
    TorturedRank(Path errors, Toll toll) {
        this.errors = errors;
        this.toll = toll;
    }

    /** Starts a process that goes on where the one before got to. */
    void start(List<String> command) throws IOException {
        List<String> words = new ArrayList<>(command);
        if (token != null) {
            words.addAll(List.of("--resume", token));
        }
        Process started = new ProcessBuilder(words)
                .redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()))
                .start();
        Thread reader = new Thread(() -> read(started), "penstock-tortured-rank");
        reader.setDaemon(true);
        lastSign = System.nanoTime();
        running = new Running(started, reader);
        reader.start();
    }

    private void read(Process from) {
        try (BufferedReader lines = from.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                told(line);
            }
        } catch (IOException e) {
            return; // the process was killed: what it had not told of is drawn again
        }
    }

    /** Takes down what a line tells; the last line of a killed process may be cut short. */
    private void told(String line) {
        JsonNode event;
        try {
            event = JSON.readTree(line);
        } catch (JsonProcessingException cutShort) {
            return;
        }
        lastSign = System.nanoTime();
        if (event.path("event").asText().equals("batch")) {
            digests.merge(event.path("epoch").asLong(), contentDigest(event), Long::sum);
            token = event.path("resume").asText();
            toll.add("batches", 1);
            toll.add("samples", event.path("samples").asLong());
        }
    }

    static long contentDigest(JsonNode event) {
        return Long.parseUnsignedLong(event.path("content_digest").asText(), 16);
    }

    /** How it ended by now, empty while it runs. All that it told is taken down then. */
    @Nullable Integer status() throws InterruptedException {
        Running now = running;
        if (now == null || now.process.isAlive()) {
            return null;
        }
        now.reader.join(TimeUnit.SECONDS.toMillis(30));
        return now.process.exitValue();
    }

    long nanosSinceLastSign() {
        return System.nanoTime() - lastSign;
    }

    /** Sends a signal; false if it has ended. */
    boolean signal(String name) throws IOException, InterruptedException {
        Running now = running;
        if (now == null || !now.process.isAlive()) {
            return false;
        }
        lastSign = System.nanoTime();
        return JobDamage.run("kill", "-" + name, Long.toString(now.process.pid()));
    }

    /** Stops it for a time; false if it has ended. */
    boolean pause(long millis) throws IOException, InterruptedException {
        if (!signal("STOP")) {
            return false;
        }
        new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
        signal("CONT");
        return true;
    }

    /** Waits until a process that was killed is gone and all that it told is taken down. */
    void awaitEnd() throws InterruptedException {
        Running now = running;
        if (now != null) {
            now.process.waitFor();
            now.reader.join();
        }
    }

    /** What its threads are doing, as the JDK's own tool tells it. */
    String threads() throws IOException {
        Running now = running;
        if (now == null) {
            return "";
        }
        String tool = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        Process dump = new ProcessBuilder(tool, Long.toString(now.process.pid()), "Thread.print", "-l")
                .redirectErrorStream(true)
                .start();
        return new String(dump.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    void end() {
        Running now = running;
        if (now != null) {
            now.process.destroyForcibly();
        }
    }

    /** The sum of what its processes delivered of an epoch. */
    long digest(long epoch) {
        return digests.getOrDefault(epoch, 0L);
    }

    /** The end of what its processes said was wrong. */
    String lastErrors() throws IOException {
        String all = Files.exists(errors) ? Files.readString(errors) : "";
        return all.substring(Math.max(0, all.length() - 2_000));
    }
}

package io.penstock.bench.torture;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One rank of a job: a process that is started again where it was each time it ends before its time. */
final class TorturedRank {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path errors;
    private final Toll toll;
    private final Map<Long, Long> digests = new HashMap<>(); // by epoch
    private @Nullable Process process;
    private @Nullable Thread reader;
    private volatile @Nullable String token;
    private volatile long lastSign;
    private volatile boolean stopped;

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
        Thread thread = new Thread(() -> read(started), "penstock-tortured-rank");
        thread.setDaemon(true);
        lastSign = System.nanoTime();
        stopped = false;
        process = started;
        reader = thread;
        thread.start();
    }

    private void read(Process from) {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(from.getInputStream(), StandardCharsets.UTF_8))) {
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
            long content = Long.parseUnsignedLong(event.path("content_digest").asText(), 16);
            digests.merge(event.path("epoch").asLong(), content, Long::sum);
            token = event.path("resume").asText();
            toll.add(Toll.Of.BATCHES, 1);
            toll.add(Toll.Of.SAMPLES, event.path("samples").asLong());
        }
    }

    /** How it ended by now, empty while it runs. All that it told is taken down then. */
    @Nullable Integer status() throws InterruptedException {
        Process now = process;
        Thread reading = reader;
        if (now == null || reading == null || now.isAlive()) {
            return null;
        }
        reading.join(TimeUnit.SECONDS.toMillis(30));
        return now.exitValue();
    }

    long nanosSinceLastSign() {
        return stopped ? 0 : System.nanoTime() - lastSign;
    }

    void signal(String name) throws IOException, InterruptedException {
        Process now = process;
        if (now != null && now.isAlive()) {
            new ProcessBuilder("kill", "-" + name, Long.toString(now.pid()))
                    .start()
                    .waitFor();
            stopped = name.equals("STOP");
            lastSign = System.nanoTime();
        }
    }

    /** Waits until a process that was killed is gone and all that it told is taken down. */
    void awaitEnd() throws InterruptedException {
        Process now = process;
        Thread reading = reader;
        if (now != null && reading != null) {
            now.waitFor();
            reading.join();
        }
    }

    /** What its threads are doing, as the JDK's own tool tells it. */
    String threads() throws IOException {
        Process now = process;
        if (now == null) {
            return "";
        }
        String tool = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        Process dump = new ProcessBuilder(tool, Long.toString(now.pid()), "Thread.print", "-l")
                .redirectErrorStream(true)
                .start();
        return new String(dump.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    void end() {
        Process now = process;
        if (now != null) {
            now.destroyForcibly();
        }
    }

    Map<Long, Long> digests() {
        return digests;
    }

    /** The end of what its processes said was wrong. */
    String lastErrors() throws IOException {
        String all = Files.exists(errors) ? Files.readString(errors) : "";
        return all.substring(Math.max(0, all.length() - 2_000));
    }
}

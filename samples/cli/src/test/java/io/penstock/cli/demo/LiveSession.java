package io.penstock.cli.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.cli.console.Output;
import io.penstock.cli.report.EpochReport;
import io.penstock.cli.report.JsonReporter;
import io.penstock.pictures.PictureFolder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import reactor.core.publisher.Sinks;

/** The demo's page, by itself over made pictures, with its report as JSON lines, and a client that talks as a browser does. */
final class LiveSession implements AutoCloseable {

    static final int PICTURES = 48;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Sinks.Empty<Void> stop = Sinks.empty();
    private final List<JsonNode> reported = new CopyOnWriteArrayList<>();
    private final LivePage page;
    private final CompletableFuture<Void> run;
    private final HttpClient client = HttpClient.newHttpClient();
    private final InputStream events;
    private final BufferedReader lines;

    /** @param weights to mix as many sources by; none for one */
    LiveSession(Path folder, Double... weights) throws IOException {
        this(folder, made(folder, Math.max(1, weights.length)), List.of(weights));
    }

    private static List<String> made(Path folder, int count) {
        List<Path> pictures = IntStream.range(0, count)
                .mapToObj(i -> folder.resolve("pictures-" + i))
                .toList();
        PictureFolder.writeWithMasks(pictures, PICTURES, () -> false).blockLast();
        return pictures.stream().map(DemoCommand::withMasks).toList();
    }

    LiveSession(Path folder, List<String> sources, List<Double> weights) throws IOException {
        this.page = LivePage.open(0, sources, weights, folder.resolve("cache"), this::report);
        this.run = CompletableFuture.runAsync(
                () -> page.run(stop.asMono()), work -> new Thread(work, "live-session").start());
        try {
            HttpResponse<InputStream> answer = client.send(
                    HttpRequest.newBuilder(page.address().resolve("events")).build(),
                    HttpResponse.BodyHandlers.ofInputStream());
            this.events = answer.body();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        this.lines = new BufferedReader(new InputStreamReader(events, StandardCharsets.UTF_8));
    }

    /** Keeps what {@code --json} prints. */
    private void report(EpochReport report) {
        StringWriter line = new StringWriter();
        new JsonReporter(new Output(new PrintWriter(line)), false).epoch(report);
        reported.add(read(line.toString()));
    }

    private static JsonNode read(String json) {
        try {
            return JSON.readTree(json);
        } catch (IOException e) {
            throw new UncheckedIOException(json, e);
        }
    }

    URI address() {
        return page.address();
    }

    /** What was printed of each epoch up to now. */
    List<JsonNode> reported() {
        return reported;
    }

    /** The next frame. */
    JsonNode frame() throws IOException {
        String line = lines.readLine();
        while (line != null && !line.startsWith("data: ")) {
            line = lines.readLine();
        }
        if (line == null) {
            throw new IOException("the events ended");
        }
        return read(line.substring("data: ".length()));
    }

    /** The first frame that is as wanted. */
    JsonNode frameWhere(Predicate<JsonNode> wanted) throws IOException {
        JsonNode frame = frame();
        while (!wanted.test(frame)) {
            frame = frame();
        }
        return frame;
    }

    /** A frame in which nothing moves any more, after a pause. */
    JsonNode settled() throws IOException {
        JsonNode before = frame();
        JsonNode frame = frame();
        int same = 0;
        while (same < 3) {
            boolean still = frame.path("totals").equals(before.path("totals"))
                    && frame.path("stages")
                            .findValuesAsText("queue")
                            .equals(before.path("stages").findValuesAsText("queue"));
            same = still ? same + 1 : 0;
            before = frame;
            frame = frame();
        }
        return frame;
    }

    /** Turns a control; the words that came back. */
    String set(String control, String json) throws IOException, InterruptedException {
        HttpResponse<String> answer = client.send(
                HttpRequest.newBuilder(page.address().resolve("control/" + control))
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString("{\"value\":" + json + "}"))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        return answer.statusCode() == 200
                ? read(answer.body()).path("said").asText()
                : answer.statusCode() + " " + answer.body().strip();
    }

    @Override
    public void close() throws IOException {
        stop.tryEmitEmpty();
        try {
            run.orTimeout(300, TimeUnit.SECONDS).join();
        } finally {
            events.close();
            page.close();
        }
    }
}

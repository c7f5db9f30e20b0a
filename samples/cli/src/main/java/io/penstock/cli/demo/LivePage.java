package io.penstock.cli.demo;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.cli.report.EpochReport;
import io.penstock.page.PageServer;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import reactor.core.publisher.Mono;

/** A run on a page that shows and steers it. */
final class LivePage implements AutoCloseable {

    static final int SLOWEST_MILLIS = 2000;
    static final int MOST_RANKS = 8;

    private final LiveRun run;
    private final LiveState state;
    private final PageServer server;

    private LivePage(int port, LiveRun run) {
        this.run = run;
        this.state = new LiveState(run);
        this.server = PageServer.open(
                port,
                "demo",
                state,
                Map.of(
                        "pace", this::pace,
                        "run", this::pause,
                        "source", this::breakSource,
                        "cache", this::dropCache,
                        "ranks", this::ranks),
                Map.of());
    }

    /**
     * Serves the page of a run that has not begun.
     * @param port 0 for any free one
     * @throws IllegalArgumentException if the port is taken, or none, or a source is not of images
     */
    static LivePage open(
            int port, List<String> sources, List<Double> weights, Path directory, Consumer<EpochReport> reports) {
        LiveRun run = new LiveRun(sources, weights, directory, reports);
        try {
            return new LivePage(port, run);
        } catch (RuntimeException | Error e) {
            run.close();
            throw e;
        }
    }

    URI address() {
        return server.address();
    }

    void run(Mono<Void> stop) {
        run.run(stop);
    }

    private String pace(JsonNode value) {
        int millis = number(value, 0, SLOWEST_MILLIS);
        run.pace.slowTo(millis);
        return "the consumer takes %d ms for each batch of %d".formatted(millis, LiveRun.BATCH);
    }

    private String pause(JsonNode value) {
        boolean paused = word(value, List.of("paused", "running")).equals("paused");
        run.pace.pause(paused);
        return paused ? "paused" : "running";
    }

    private String breakSource(JsonNode value) {
        List<Breakable.Health> all = List.of(Breakable.Health.values());
        List<String> words = all.stream().map(Breakable.Health::word).toList();
        Breakable.Health health = all.get(words.indexOf(word(value, words)));
        run.feed.become(health);
        boolean unasked = run.isSourceUnasked(run.reading().since(run.earlier()));
        return health.words() + (unasked ? LiveRun.UNASKED : "");
    }

    private String dropCache(JsonNode value) {
        word(value, List.of("drop"));
        return "the cache was dropped: %d samples are forgotten".formatted(run.feed.dropCache());
    }

    private String ranks(JsonNode value) {
        int ranks = number(value, 1, MOST_RANKS);
        state.ranks = ranks;
        return "the order is shown for %d ranks".formatted(ranks);
    }

    private static int number(JsonNode value, int least, int most) {
        if (!value.isIntegralNumber() || value.longValue() < least || value.longValue() > most) {
            throw new IllegalArgumentException(
                    "a whole number in [%d, %d] was expected, was %s".formatted(least, most, value));
        }
        return value.intValue();
    }

    private static String word(JsonNode value, List<String> words) {
        if (!value.isTextual() || !words.contains(value.textValue())) {
            throw new IllegalArgumentException(
                    "one of %s was expected, was %s".formatted(String.join(", ", words), value));
        }
        return value.textValue();
    }

    @Override
    public void close() {
        server.close();
        run.close();
    }
}

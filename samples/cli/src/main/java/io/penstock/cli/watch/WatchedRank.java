package io.penstock.cli.watch;

import io.netty.handler.timeout.ReadTimeoutException;
import io.penstock.cli.console.Reason;
import java.io.ByteArrayOutputStream;
import java.net.ConnectException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.client.HttpClientResponse;

/** The page of meters of one process, and what was read of it lately. Called by one thread at a time. */
final class WatchedRank {

    private static final Duration ANSWER = Duration.ofSeconds(2);
    private static final int MAX_BYTES = 4 << 20;

    private final URI address;
    private final LongSupplier nanoClock;
    private final int readingsKept;
    private final Deque<RankCounts> readings = new ArrayDeque<>();

    @Nullable Exposition meters; // its last page; null if it does not answer

    @Nullable String failure; // why it does not answer now; null if it does

    private @Nullable String name;
    boolean answered; // ever

    /** @param readingsKept the window is between the first and the last of them */
    WatchedRank(URI address, int readingsKept, LongSupplier nanoClock) {
        this.address = address;
        this.readingsKept = readingsKept;
        this.nanoClock = nanoClock;
    }

    /** Asks for the page; never fails. Running what it emits notes the answer. */
    Mono<Runnable> ask(HttpClient client) {
        return client.responseTimeout(ANSWER)
                .get()
                .uri(address)
                .response((response, body) -> body.asByteArray()
                        .collect(ByteArrayOutputStream::new, (text, part) -> {
                            if (text.size() + part.length > MAX_BYTES) {
                                throw new IllegalArgumentException("more than %d bytes of meters".formatted(MAX_BYTES));
                            }
                            text.writeBytes(part);
                        })
                        .map(text -> page(response, text.toString(StandardCharsets.UTF_8)))
                        .flux())
                .next()
                .timeout(ANSWER)
                .<Runnable>map(page -> () -> answered(page))
                .onErrorResume(Exception.class, e -> Mono.just(() -> failed(e)));
    }

    private static Exposition page(HttpClientResponse response, String text) {
        if (response.status().code() != 200) {
            throw new IllegalArgumentException(
                    "HTTP status %d".formatted(response.status().code()));
        }
        return Exposition.parse(text);
    }

    private void answered(Exposition page) {
        RankCounts now = RankCounts.of(page, nanoClock.getAsLong());
        RankCounts last = readings.peekLast();
        if (last != null && now.batches() < last.batches()) {
            readings.clear(); // the process began anew
        }
        if (readings.size() == readingsKept) {
            readings.removeFirst();
        }
        readings.addLast(now);
        meters = page;
        failure = null;
        answered = true;
        name = now.rank() < 0 ? null : "rank " + now.rank();
    }

    private void failed(Throwable e) {
        readings.clear();
        meters = null;
        boolean refused = e instanceof ConnectException || e.getCause() instanceof ConnectException;
        boolean silent = e instanceof TimeoutException || e instanceof ReadTimeoutException;
        failure = refused
                ? "connection refused"
                : silent ? "no whole page within %d s".formatted(ANSWER.toSeconds()) : Reason.of(e);
    }

    String instance() {
        return address.getAuthority();
    }

    /** What people know it by: its rank, if it has said so. */
    String name() {
        return name == null ? instance() : name;
    }

    /** What it did between the readings that are kept; null while there are no two. */
    @Nullable RankWindow window() {
        RankCounts first = readings.peekFirst();
        RankCounts last = readings.peekLast();
        return first == null || last == null || readings.size() == 1
                ? null
                : new RankWindow(name(), (last.nanos() - first.nanos()) / 1e9, last.since(first));
    }

    /** All batches since the process began; 0 if it does not answer. */
    long batches() {
        RankCounts last = readings.peekLast();
        return last == null ? 0 : (long) last.batches();
    }
}

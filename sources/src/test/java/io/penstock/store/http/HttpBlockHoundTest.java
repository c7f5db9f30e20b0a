package io.penstock.store.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.store.Store;
import io.penstock.store.StoreEntry;
import io.penstock.store.http.TestServer.Fault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.blockhound.BlockHound;
import reactor.blockhound.BlockingMethod;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Nothing blocks on an event loop, neither the client's nor the server's, in good times and in bad. */
@Tag("blockhound")
class HttpBlockHoundTest {

    private static final Map<Fault, Double> FAULTS =
            Map.of(Fault.REFUSE, 0.1, Fault.RESET, 0.1, Fault.TRUNCATE, 0.1, Fault.STATUS_503, 0.1);

    private static final AtomicReference<String> BLOCKED = new AtomicReference<>();

    /** Idle threads wait for work without our having asked them to. */
    private static final Pattern OURS = Pattern.compile("at io\\.penstock\\.");

    /** Locks of the timer's and the allocator's own, held for microseconds. */
    private static final Pattern SHORT = Pattern.compile("DelayedWorkQueue|AdaptivePoolingAllocator");

    @TempDir
    private Path folder;

    @BeforeAll
    static void install() {
        BlockHound.install(builder -> builder.blockingMethodCallback(method -> {
            String stack = told(method);
            if (Schedulers.isInNonBlockingThread()
                    && OURS.matcher(stack).find()
                    && !SHORT.matcher(stack).find()) {
                BLOCKED.compareAndSet(null, stack);
            }
        }));
    }

    private static String told(BlockingMethod method) {
        return Stream.concat(
                        Stream.of(method + " on " + Thread.currentThread().getName()),
                        Stream.of(new Throwable().getStackTrace())
                                .map(StackTraceElement::toString)
                                .filter(frame -> !frame.contains("HttpBlockHoundTest.told")
                                        && !frame.contains("HttpBlockHoundTest.lambda$install")))
                .collect(Collectors.joining("\n  at "));
    }

    @Test
    void blockHound_blockingCallOnAnEventLoop_isSeen() {
        Mono.delay(Duration.ofMillis(1))
                .doOnNext(late -> java.util.concurrent.locks.LockSupport.parkNanos(1000))
                .block();

        assertThat(BLOCKED.getAndSet(null)).contains("park");
    }

    @Test
    void reads_goodAndBad_blockNoEventLoop() throws IOException {
        Files.write(folder.resolve("a.bin"), new byte[600_000]);
        BLOCKED.set(null);
        try (TestServer server = TestServer.withFaults(folder, FAULTS);
                HttpStore http = HttpStore.at(
                        server.address(),
                        HttpOptions.standard()
                                .bearer(Mono.just("t"))
                                .attempts(20, Duration.ofSeconds(30))
                                .backoff(Duration.ofMillis(1), Duration.ofMillis(5)))) {
            Store store = http.manifest("manifest.jsonl");
            AtomicReference<StoreEntry> listed = new AtomicReference<>();
            store.list((key, size, version) -> listed.set(new StoreEntry(key, size, version)));
            StoreEntry asked = store.entry("a.bin").block();

            long read = Flux.range(0, 100)
                    .flatMap(i -> i % 2 == 0 ? store.read(listed.get()) : store.read(asked, i, 100_000), 16)
                    .count()
                    .block();

            assertThat(read).isEqualTo(100);
        }
        assertThat(BLOCKED.get()).isNull();
    }
}

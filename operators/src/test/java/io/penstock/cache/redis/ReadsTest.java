package io.penstock.cache.redis;

import static io.penstock.cache.redis.RedisTierTest.TIMEOUT;
import static io.penstock.cache.redis.RedisTierTest.await;
import static io.penstock.cache.redis.RedisTierTest.key;
import static io.penstock.cache.redis.RedisTierTest.value;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.TierKit;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/** How look-ups travel together, and that none is left behind. */
class ReadsTest {

    private static final Pattern LOOK_UPS = Pattern.compile("cmdstat_mget:calls=(\\d+)");

    @TempDir
    Path directory;

    private TestServer server;

    @BeforeEach
    void start() {
        server = TestServer.start(directory);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private RedisTier open(Duration timeout) {
        return RedisTier.at(server.uri()).name("a").timeout(timeout).open();
    }

    private static void put(RedisTier tier, LongStream numbers) {
        numbers.forEach(number -> assertThat(
                        TierKit.put(tier, key(number), value(number)).block(TIMEOUT))
                .isTrue());
        tier.flush().block(TIMEOUT);
    }

    private static List<CompletableFuture<ByteBuffer>> ask(RedisTier tier, int samples) {
        return LongStream.range(0, samples)
                .mapToObj(number -> tier.get(key(number)).toFuture())
                .toList();
    }

    private int lookUps() {
        Matcher calls = LOOK_UPS.matcher(server.ask("INFO", "commandstats"));
        return calls.find() ? Integer.parseInt(calls.group(1)) : 0;
    }

    /** Asked one by one with pauses, as a stream asks for its next sample with each that it gets. */
    @Test
    void get_ofManyWhileTheFirstAreUnderWay_asksInGroups() {
        try (RedisTier tier = open(TIMEOUT)) {
            put(tier, LongStream.range(0, 1000));
            int before = lookUps();
            server.signal("STOP");

            List<CompletableFuture<ByteBuffer>> asked = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                asked.add(tier.get(key(i)).toFuture());
                LockSupport.parkNanos(100_000);
            }
            server.signal("CONT");

            for (int i = 0; i < asked.size(); i++) {
                assertThat(asked.get(i).join()).isEqualTo(value(i));
            }
            // eight of one key, then each a quarter larger than all before, up to 128 keys
            assertThat(lookUps() - before).isBetween(8, 50);
        }
    }

    @Test
    void get_ofManyInOrder_answersEachAndCountsIt() {
        try (RedisTier tier = open(TIMEOUT)) {
            put(tier, LongStream.range(0, 3000).filter(number -> number % 3 != 0));

            Flux<Optional<ByteBuffer>> answers = Flux.range(0, 3000)
                    .flatMapSequential(
                            number -> tier.get(key(number)).map(Optional::of).defaultIfEmpty(Optional.empty()), 200, 1);

            StepVerifier.create(answers.index(), 0)
                    .thenRequest(1)
                    .expectNextMatches(first -> first.getT2().isEmpty())
                    .thenRequest(Long.MAX_VALUE)
                    .thenConsumeWhile(
                            answer -> true,
                            answer -> assertThat(answer.getT2())
                                    .isEqualTo(
                                            answer.getT1() % 3 == 0
                                                    ? Optional.empty()
                                                    : Optional.of(value(answer.getT1()))))
                    .expectComplete()
                    .verify(TIMEOUT);
            assertThat(tier.statistics().hits()).isEqualTo(2000);
            assertThat(tier.statistics().misses()).isEqualTo(1000);
        }
    }

    @Test
    void get_ofOneThatIsDamagedAmongOthers_missesThatOneOnly() {
        try (RedisTier tier = open(TIMEOUT)) {
            put(tier, LongStream.range(0, 100));
            String damaged = new String(new KeySpace("a").sample(key(50)), StandardCharsets.US_ASCII);
            assertThat(server.ask("SETRANGE", damaged, "60", "x")).isEqualTo("132");
            server.signal("STOP");

            List<CompletableFuture<ByteBuffer>> asked = ask(tier, 100);
            server.signal("CONT");

            for (int i = 0; i < asked.size(); i++) {
                assertThat(asked.get(i).join()).isEqualTo(i == 50 ? null : value(i));
            }
            assertThat(tier.statistics().errors()).isEqualTo(1);
        }
    }

    @Test
    void get_ofManyWhenTheServerStandsStill_missesThemAllAndFindsThemLater() {
        try (RedisTier tier = open(Duration.ofMillis(300))) {
            await(() -> Boolean.TRUE.equals(TierKit.put(tier, key(1), value(1)).block(TIMEOUT)));
            tier.flush().block(TIMEOUT);
            server.signal("STOP");

            List<CompletableFuture<ByteBuffer>> asked = ask(tier, 2000);

            assertThat(asked).allSatisfy(answer -> assertThat(answer.join()).isNull());
            assertThat(tier.statistics().misses()).isEqualTo(2000);
            server.signal("CONT");
            await(() -> value(1).equals(tier.get(key(1)).block(TIMEOUT)));
        }
    }

    @Test
    void get_thatIsGivenUpWhileItWaits_holdsUpNobody() {
        try (RedisTier tier = open(TIMEOUT)) {
            put(tier, LongStream.range(0, 500));
            server.signal("STOP");

            List<Disposable> given = LongStream.range(0, 500)
                    .mapToObj(number -> tier.get(key(number)).subscribe())
                    .toList();
            CompletableFuture<ByteBuffer> last = tier.get(key(7)).toFuture();
            given.forEach(Disposable::dispose);
            server.signal("CONT");

            assertThat(last.join()).isEqualTo(value(7));
        }
    }
}

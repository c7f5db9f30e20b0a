package io.penstock.store.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.StoreException;
import io.penstock.records.RecordFiles;
import io.penstock.store.Descriptors;
import io.penstock.store.Manifest;
import io.penstock.store.StoreEntry;
import io.penstock.store.http.HttpOptions;
import io.penstock.store.http.internal.HttpReads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;

class S3StoreTest {

    private static final HttpOptions QUICK =
            HttpOptions.standard().backoff(Duration.ofMillis(1), Duration.ofMillis(20));

    @SuppressWarnings("NullAway.Init")
    private S3Server server;

    @BeforeEach
    void start() throws IOException {
        server = S3Server.start();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private S3Store open(String prefix) {
        return S3Store.at(server.address(prefix), QUICK, StaticCredentialsProvider.create(S3Server.KEYS));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static List<StoreEntry> list(S3Store store) {
        List<StoreEntry> entries = new ArrayList<>();
        store.list((key, size, version) -> entries.add(new StoreEntry(key, size, version)));
        return entries;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"a b.jpg", "a+b", "ä/日本.txt", "a//b", "100%25.txt", "50%", "q?x=1&y", "#1", "*'(~)!,;:@$", "a\\b"
            })
    void read_keyWithOddCharacters_isTheObject(String key) {
        server.objects.put("set/" + key, bytes(key));
        S3Store store = open("set");

        StoreEntry listed = list(store).get(0);

        assertThat(listed.key()).isEqualTo(key);
        assertThat(store.read(listed).block()).isEqualTo(ByteBuffer.wrap(bytes(key)));
        assertThat(store.entry(key).block()).isEqualTo(listed);
    }

    @Test
    void entry_ofALineWithSizeAndEntityTag_asksForNothing() {
        S3Store store = open("set");

        StoreEntry entry = store.entry(new Manifest.Line("nothing", 7, null, "\"5f2c-61d\"", null, -1))
                .block();

        assertThat(entry).isEqualTo(new StoreEntry("nothing", 7, HttpReads.version("\"5f2c-61d\"")));
    }

    @Test
    void read_keyThatProxiesResolve_isRefused() {
        assertThatThrownBy(() -> open("set").find("a/../b", 100).block())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("..");
    }

    /** Both ends of a connection are in this process. */
    @Test
    void stores_thatStayOpenByDozens_takeTheSocketsOfOne() throws IOException {
        for (int i = 0; i < 64; i++) {
            server.objects.put("set/" + i, bytes("" + i));
        }
        long before = Descriptors.sockets();

        for (int i = 0; i < 40; i++) {
            S3Store store = open("set");
            Flux.fromIterable(list(store)).flatMap(store::read, 64).blockLast();
        }

        assertThat(Descriptors.sockets()).isLessThanOrEqualTo(before + 2 * 64 + Descriptors.OTHERS);
    }

    @Test
    void list_manyPages_hasEachObjectOnce() {
        server.pageSize(10);
        for (int i = 0; i < 500; i++) {
            server.objects.put("set/%d/%d.bin".formatted(i % 7, i), bytes("" + i));
            server.objects.put("set/flat%d".formatted(i % 5), bytes("" + i));
        }
        server.objects.put("set/3/", new byte[0]); // a mark of a folder
        server.objects.put("other", new byte[0]);

        List<StoreEntry> all = list(open("set"));

        assertThat(all).hasSize(505).doesNotHaveDuplicates();
        assertThat(list(open(""))).hasSize(506);
        assertThat(list(open("set/3/")))
                .hasSize(71)
                .allMatch(entry -> !entry.key().contains("/"));
        assertThat(list(open("nothing"))).isEmpty();
    }

    @Test
    void list_secondTime_asksForOnePage(@TempDir Path folder) throws IOException {
        server.pageSize(10);
        for (int i = 0; i < 300; i++) {
            server.objects.put("set/%d/ä%d.bin".formatted(i % 7, i), bytes("" + i));
        }
        List<StoreEntry> first = list(open("set").keepingLists(folder));
        int asked = server.lists.getAndSet(0);
        List<StoreEntry> second = list(open("set").keepingLists(folder));

        assertThat(asked).isGreaterThan(30);
        assertThat(server.lists).hasValue(1);
        assertThat(second).containsExactlyInAnyOrderElementsOf(first).hasSize(300);

        server.objects.put("set/0/a", bytes("first of all"));
        assertThat(list(open("set").keepingLists(folder))).hasSize(301);

        try (Stream<Path> files = Files.list(folder)) {
            Path kept = files.findFirst().orElseThrow();
            byte[] damaged = Files.readAllBytes(kept);
            damaged[damaged.length / 2]++;
            Files.write(kept, damaged);
        }
        assertThat(list(open("set").keepingLists(folder))).hasSize(301);
        server.lists.set(0);
        assertThat(list(open("set").keepingLists(folder))).hasSize(301);
        assertThat(server.lists).hasValue(1);

        Map<String, String> again = Map.of("endpoint", server.endpoint(), "list-again", "true");
        list(S3Store.at(
                        new S3Address(S3Server.BUCKET, "set", again),
                        QUICK,
                        StaticCredentialsProvider.create(S3Server.KEYS))
                .keepingLists(folder));
        assertThat(server.lists.get()).isGreaterThan(30);
    }

    @Test
    void read_objectWrittenAgainSinceItWasListed_fails() {
        server.objects.put("x", new byte[100]);
        S3Store store = open("");
        StoreEntry stale = list(store).get(0);
        byte[] now = new byte[100];
        now[0] = 1;
        server.objects.put("x", now);

        assertThatThrownBy(() -> store.read(stale, 10, 10).block()).hasMessageContaining("changed since it was listed");

        server.objects.remove("x");
        assertThatThrownBy(() -> store.read(stale).block()).hasMessageContaining("is gone");
    }

    /** A cache of one must not serve the other. */
    @Test
    void buckets_ofOneNameOnTwoServers_haveKeysOfTheirOwn() throws IOException {
        byte[] record = bytes("same");
        try (S3Server other = S3Server.start()) {
            server.objects.put("set/x", record);
            other.objects.put("set/x", record);
            S3Store far = S3Store.at(other.address("set"), QUICK, StaticCredentialsProvider.create(S3Server.KEYS));

            RecordFiles here = RecordFiles.open(open("set"), "x", record.length);
            RecordFiles again = RecordFiles.open(open("set"), "x", record.length);
            RecordFiles there = RecordFiles.open(far, "x", record.length);

            assertThat(here.fingerprint()).isEqualTo(again.fingerprint()).isNotEqualTo(there.fingerprint());
            assertThat(open("set").location()).isEqualTo("s3+%s/data/set/".formatted(server.endpoint()));
            far.close();
        }
    }

    @Test
    void missingBucket_isNamedWithItsCode() {
        S3Address address = new S3Address("nothere", "p/", Map.of("endpoint", server.endpoint()));
        S3Store store = S3Store.at(address, QUICK, StaticCredentialsProvider.create(S3Server.KEYS));

        String message =
                "answered 404 (NoSuchBucket: The specified bucket does not exist); check the name of the bucket";
        assertThatThrownBy(() -> list(store)).hasMessageContaining("/nothere/").hasMessageContaining(message);
        assertThatThrownBy(() -> store.find("a", 10).block()).hasMessageContaining(message);
        assertThatThrownBy(() -> store.entry("a").block())
                .hasMessageContaining("/nothere/p/a")
                .hasMessageContaining(message);
    }

    @Test
    void wrongKeys_areNamedWithTheirCode() {
        server.objects.put("x", new byte[1]);
        S3Store unknown = S3Store.at(
                server.address(""),
                QUICK,
                StaticCredentialsProvider.create(AwsBasicCredentials.create("who", "secret")));
        S3Store wrong = S3Store.at(
                server.address(""),
                QUICK,
                StaticCredentialsProvider.create(AwsBasicCredentials.create("key", "other")));

        assertThatThrownBy(() -> unknown.entry("x").block()).hasMessageContaining("403 (InvalidAccessKeyId");
        assertThatThrownBy(() -> list(wrong))
                .hasMessageContaining("403 (SignatureDoesNotMatch")
                .hasMessageContaining("check the secret key");
        assertThat(server.requests).as("requests, none of them repeated").hasValue(3);
    }

    @Test
    void unsigned_publicBucket_isRead() {
        server.open().objects.put("x", bytes("text"));
        Map<String, String> options = Map.of("endpoint", server.endpoint(), "unsigned", "true");
        S3Store store = S3Store.at(new S3Address(S3Server.BUCKET, "", options));

        assertThat(store.read(list(store).get(0)).block()).isEqualTo(ByteBuffer.wrap(bytes("text")));
    }

    @Test
    void credentialsThatEnd_areRenewed() {
        server.objects.put("x", bytes("text"));
        AtomicInteger session = new AtomicInteger();
        server.accepted.clear();
        AwsCredentialsProvider provider = () -> {
            AwsSessionCredentials next =
                    AwsSessionCredentials.create("session" + session.incrementAndGet(), "secret", "token");
            server.accepted.clear(); // the one before has ended
            server.accepted.put(next.accessKeyId(), next);
            return next;
        };
        HttpOptions patient = HttpOptions.standard().backoff(Duration.ofMillis(600), Duration.ofMillis(800));
        S3Store store = S3Store.at(server.address(""), patient, provider);
        StoreEntry entry = Objects.requireNonNull(store.entry("x").block());

        server.accepted.clear(); // ends early, in the middle of what is kept
        assertThat(store.read(entry).block()).isEqualTo(ByteBuffer.wrap(bytes("text")));
        assertThat(session.get()).isGreaterThan(1);
    }

    /** An answer to {@code HEAD} never has a body, and of some servers no refusal has one. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void credentialsThatEnded_areRenewedWhereNoBodySaysSo(boolean silent) {
        server.objects.put("x", bytes("text"));
        server.accepted.clear();
        AtomicInteger session = new AtomicInteger();
        AwsCredentialsProvider provider = () -> {
            AwsSessionCredentials next =
                    AwsSessionCredentials.create("session" + session.incrementAndGet(), "secret", "token");
            if (session.get() > 1) { // the first has ended when it is used
                server.accepted.put(next.accessKeyId(), next);
            }
            return next;
        };
        if (silent) {
            server.silent();
        }
        HttpOptions patient = HttpOptions.standard().backoff(Duration.ofMillis(600), Duration.ofMillis(800));
        S3Store store = S3Store.at(server.address(""), patient, provider);

        assertThat(Objects.requireNonNull(store.entry("x").block()).size()).isEqualTo(4);
        assertThat(list(store)).hasSize(1);
        assertThat(session.get()).isGreaterThan(1);
    }

    /** Without a wait: the attempts of a quick store are over before credentials are asked for in any case. */
    @ParameterizedTest
    @ValueSource(strings = {"ExpiredToken", "ExpiredTokenException"})
    void credentialsThatEndedEarly_areDroppedAndTheChainIsAskedOnce(String code) {
        server.expired(code).objects.put("x", bytes("text"));
        AtomicInteger chains = new AtomicInteger();
        S3Store store = S3Store.signed(server.address(""), QUICK, () -> {
            String key = "session" + chains.incrementAndGet();
            server.accepted.clear(); // what the chain before gave has ended
            server.accepted.put(key, AwsSessionCredentials.create(key, "secret", "token"));
            return () -> Objects.requireNonNullElse(
                    server.accepted.get(key), AwsSessionCredentials.create(key, "secret", "token"));
        });
        StoreEntry entry = Objects.requireNonNull(store.entry("x").block());
        server.accepted.clear(); // ends early, while it is held

        List<ByteBuffer> read = Objects.requireNonNull(Flux.range(0, 32)
                .flatMap(each -> store.read(entry))
                .collectList()
                .block());

        assertThat(read).hasSize(32).containsOnly(ByteBuffer.wrap(bytes("text")));
        assertThat(chains).hasValue(2);
    }

    @Test
    void credentialsThatEnded_whereTheChainHasNoOthers_areAnError() {
        server.accepted.clear();
        AtomicInteger chains = new AtomicInteger();
        S3Store store = S3Store.signed(server.address(""), QUICK, () -> {
            chains.incrementAndGet();
            return () -> AwsSessionCredentials.create("session", "secret", "token");
        });

        assertThatThrownBy(() -> store.entry("x").block())
                .hasMessageContaining("400 (ExpiredToken")
                .hasMessageContaining("renew the credentials");
        assertThat(chains).hasValue(2);
    }

    @Test
    void keptList_thatARead_showsToBeStale_isNotUsedAgain(@TempDir Path folder) {
        server.pageSize(10);
        for (int i = 0; i < 30; i++) {
            server.objects.put("set/%d/%02d.bin".formatted(i / 10, i), bytes("" + i));
        }
        S3Store store = open("set").keepingLists(folder);
        list(store);
        server.objects.put("set/2/25.bin", bytes("other"));
        server.objects.remove("set/2/29.bin");
        List<StoreEntry> stale = list(store); // the first page is as it was
        server.objects.put("set/2/26.bin", bytes("unseen"));

        for (String key : List.of("2/25.bin", "2/29.bin")) {
            StoreEntry listed = stale.stream()
                    .filter(entry -> entry.key().equals(key))
                    .findFirst()
                    .orElseThrow();
            list(store); // keeps it again
            assertThatThrownBy(() -> store.read(listed).block())
                    .hasMessageContaining(key)
                    .hasMessageContaining("changed since it was listed");
        }
        server.lists.set(0);
        List<StoreEntry> now = list(store);

        assertThat(server.lists.get()).isGreaterThan(1);
        assertThat(now).hasSize(29);
        assertThat(now)
                .allSatisfy(entry -> assertThat(
                                store.read(entry, 0, (int) entry.size()).block())
                        .isEqualTo(ByteBuffer.wrap(server.objects.get("set/" + entry.key()))));
    }

    @ParameterizedTest
    @CsvSource({
        "no provider has any,: no provider has any",
        "Unable to load credentials from any of the providers in the chain X(Y()): [long],''"
    })
    void noCredentials_saysFirstHowToGiveSome(String reason, String told) {
        AwsCredentialsProvider none = () -> {
            throw software.amazon.awssdk.core.exception.SdkClientException.create(reason);
        };
        S3Store store = S3Store.at(server.address(""), QUICK, none);

        assertThatThrownBy(() -> store.find("x", 10).block())
                .hasMessageContaining("no credentials; set AWS_ACCESS_KEY_ID")
                .hasMessageEndingWith("or add ?unsigned=true to the address of a public bucket" + told);
    }

    @Test
    void readsUnderFaultsOfFiveKinds_areRight() {
        Random random = new Random(7);
        List<S3Server.Fault> kinds = S3Server.Fault.PASSING;
        for (int i = 0; i < 300; i++) {
            byte[] object = new byte[5000];
            random.nextBytes(object);
            server.objects.put("%d/%d".formatted(i % 3, i), object);
        }
        server.pageSize(50)
                .faults(number -> Math.floorMod(number * 0x9E3779B9, 100) < 20
                        ? kinds.get(number % kinds.size())
                        : S3Server.Fault.NONE);
        S3Store store = open("");

        List<StoreEntry> entries = list(store);
        List<ByteBuffer> parts = Objects.requireNonNull(Flux.fromIterable(entries)
                .flatMapSequential(entry -> store.read(entry, 100, 3000), 16)
                .collectList()
                .block());

        assertThat(entries).hasSize(300).doesNotHaveDuplicates();
        for (int i = 0; i < entries.size(); i++) {
            byte[] object = server.objects.get(entries.get(i).key());
            assertThat(parts.get(i)).isEqualTo(ByteBuffer.wrap(object, 100, 3000));
        }
    }
}

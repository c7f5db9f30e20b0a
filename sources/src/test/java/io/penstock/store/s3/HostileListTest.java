package io.penstock.store.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.penstock.fault.StoreException;
import io.penstock.store.StoreEntry;
import io.penstock.store.http.HttpOptions;
import io.penstock.store.internal.ListLength;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lists of a server that does not keep to the protocol. */
@Timeout(60)
class HostileListTest {

    private static final String LAST = "<IsTruncated>false</IsTruncated>";

    /** The text of a page within its outermost element. */
    private interface Bucket {
        String page(Map<String, String> query);
    }

    private final AtomicInteger requests = new AtomicInteger();
    private volatile Bucket bucket = query -> LAST;
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                requests.incrementAndGet();
                String page =
                        "<ListBucketResult>" + bucket.page(query(exchange.getRequestURI())) + "</ListBucketResult>";
                byte[] bytes = page.getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, bytes.length);
                exchange.getResponseBody().write(bytes);
            }
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private static Map<String, String> query(URI uri) {
        return Arrays.stream(uri.getRawQuery().split("&", -1))
                .map(each -> each.split("=", 2))
                .collect(Collectors.toMap(each -> each[0], each -> URLDecoder.decode(each[1], StandardCharsets.UTF_8)));
    }

    private static String object(String key) {
        return object(key, "1");
    }

    private static String object(String key, String size) {
        return "<Contents><Key>%s</Key><Size>%s</Size><ETag>\"x\"</ETag></Contents>".formatted(key, size);
    }

    private static String more(String token) {
        return "<IsTruncated>true</IsTruncated><NextContinuationToken>%s</NextContinuationToken>".formatted(token);
    }

    private static String folder(String prefix) {
        return "<CommonPrefixes><Prefix>%s</Prefix></CommonPrefixes>".formatted(prefix);
    }

    private List<String> list(String prefix) {
        List<StoreEntry> entries = new ArrayList<>();
        try (S3Store store = S3Store.at(
                new S3Address(
                        "data",
                        prefix,
                        Map.of(
                                "endpoint",
                                "http://127.0.0.1:" + server.getAddress().getPort(),
                                "unsigned",
                                "true")),
                HttpOptions.standard())) {
            store.list((key, size, version) -> entries.add(new StoreEntry(key, size, version)));
        }
        return entries.stream().map(StoreEntry::key).toList();
    }

    private void refuses(String prefix, String... words) {
        assertThatThrownBy(() -> list(prefix))
                .isInstanceOf(StoreException.class)
                .hasMessageStartingWith("cannot list s3+http://")
                .hasMessageContainingAll(words);
    }

    @Test
    void keyThatFollowsItself_countsOnce() {
        bucket = query -> query.containsKey("continuation-token")
                ? object("b") + object("c") + object("c") + LAST
                : object("a") + object("b") + more("t");

        assertThat(list("")).containsExactly("a", "b", "c");
    }

    @Test
    void keyThatComesAgainLaterOrInAnotherState_isRefusedByName() {
        bucket = query -> object("a") + object("b") + object("a") + LAST;
        refuses("", "\"a\" is listed twice");

        bucket = query -> object("a") + object("a", "2") + LAST;
        refuses("", "\"a\" is listed twice");
    }

    @Test
    void keysInNoOrder_areAllThere() {
        bucket = query -> IntStream.range(0, 1000)
                        .mapToObj(i -> object("k" + i * 7 % 1000))
                        .collect(Collectors.joining())
                + LAST;

        assertThat(list("")).doesNotHaveDuplicates().hasSize(1000);
    }

    @Test
    void tokensThatComeAgain_areRefused() {
        bucket = query -> more("t");
        refuses("", "token comes twice");
        assertThat(requests.get()).isLessThan(5);

        bucket = query -> more("a".equals(query.get("continuation-token")) ? "b" : "a");
        refuses("", "token comes twice");
    }

    @Test
    void tokensWithoutEnd_overPagesThatNameNothingOrTheSame_areRefused() {
        PageOrder order = new PageOrder("b");
        IntStream.range(0, 1000).forEach(i -> order.next(new ListPage(List.of(), List.of(), "t" + i)));
        assertThatThrownBy(() -> order.next(new ListPage(List.of(), List.of(), "t")))
                .hasMessageContaining("1000 pages in a row name nothing");

        AtomicLong tokens = new AtomicLong();
        bucket = query -> object("a") + object("b") + more("t" + tokens.incrementAndGet());
        refuses("", "\"a\" is listed twice");
    }

    @Test
    void foldersWithoutEnd_end() {
        bucket = query -> query.containsKey("continuation-token")
                ? object(query.getOrDefault("prefix", "") + "b") + LAST
                : query.containsKey("delimiter")
                        ? folder(query.getOrDefault("prefix", "") + "f/") + LAST
                        : object(query.getOrDefault("prefix", "") + "a") + more("t");

        assertThat(list("")).containsExactly("f/".repeat(16) + "a", "f/".repeat(16) + "b");
    }

    @Test
    void pageThatDoesNotSayWhetherThereAreMore_isRefused() {
        bucket = query -> object("a");
        refuses("", "IsTruncated");

        bucket = query -> object("a") + "<NextContinuationToken>t</NextContinuationToken>";
        refuses("", "IsTruncated");
    }

    @ParameterizedTest
    @CsvSource({"x, '\"in/\": x'", "inside/x, inside/x", "in, '\"in/\": in'", "/in/x, /in/x"})
    void keyOutsideThePrefix_isRefusedByName(String key, String named) {
        bucket = query -> object(key) + LAST;

        refuses("in", "outside the prefix", named);
    }

    @Test
    void folderThatIsNoneOrComesTwice_isRefused() {
        for (String folders : List.of(folder("in/"), folder("out/"), folder("in/a/") + folder("in/a/"))) {
            bucket = query -> query.containsKey("delimiter") ? folders + LAST : object("in/a/b") + more("t");
            refuses("in", "no folder below \"in/\", or one twice");
        }
        bucket = query -> query.containsKey("delimiter")
                ? folder("in/a/") + object("in/a/b") + LAST
                : object("in/a/b") + more("t");
        refuses("in", "a key within a folder: in/a/b");
    }

    @ParameterizedTest
    @CsvSource({
        "a, -5, 'size \"-5\" for a'",
        "a, x, 'size \"x\" for a'",
        "a, '', 'size \"\" for a'",
        "'', 1, without a key"
    })
    void objectWithoutSizeOrKey_isRefusedByName(String key, String size, String named) {
        bucket = query -> object(key, size) + LAST;

        refuses("", named);
    }

    @Test
    void keysOfAServerWithoutEscapes_areTakenAsTheyStand() {
        bucket = query -> object("a+b") + object("100%41") + object("50%") + LAST;
        assertThat(list("")).containsExactly("a+b", "100%41", "50%");

        bucket = query -> "<EncodingType>url</EncodingType>" + object("%2B%C3%A9%EF%BF%BD+") + LAST;
        assertThat(list("")).containsExactly("+é\uFFFD ");
    }

    @Test
    void keysThatAreNoText_areRefusedByName() {
        bucket = query -> object("50%") + LAST + "<EncodingType>url</EncodingType>";
        refuses("", "no whole escape: 50%");

        bucket = query -> object("a%FFb") + LAST + "<EncodingType>url</EncodingType>";
        refuses("", "not UTF-8: a%FFb");
    }

    @Test
    void listThatTakesMoreThanItsMemory_isRefused() {
        ListLength length = new ListLength("b", 1 << 20, System::nanoTime);
        List<String> page = List.of("k".repeat(924));
        for (int i = 0; i < 1028; i++) {
            length.add(page);
        }

        assertThatThrownBy(() -> length.add(page)).hasMessageContainingAll("cannot list b: 1,029 objects", "-Xmx");
    }
}

package io.penstock.store.s3;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4FamilyHttpSigner;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.HttpSigner;

/** One bucket in memory behind the requests of S3 that a reader makes, with their signatures checked and with faults. */
final class S3Server implements AutoCloseable {

    static final String BUCKET = "data";
    static final AwsCredentials KEYS = AwsBasicCredentials.create("key", "secret");

    private static final String REGION = "us-east-1";
    private static final Pattern RANGE = Pattern.compile("bytes=(\\d+)-(\\d*)");
    private static final Pattern AUTHORIZATION =
            Pattern.compile("AWS4-HMAC-SHA256 Credential=([^/]+)/.*SignedHeaders=([^,]+),.*");

    /** What goes wrong with an answer. */
    enum Fault {
        NONE,
        SLOW_DOWN,
        SLOW_BODY,
        WRONG_RANGE,
        RESET,
        TRUNCATED,
        /** A page of a list as it was before: an object has another entity tag, another is gone by now. */
        STALE;

        /** Those that a retry gets over. */
        static final List<Fault> PASSING = List.of(SLOW_DOWN, SLOW_BODY, WRONG_RANGE, RESET, TRUNCATED);
    }

    /** Decides about the n-th request. */
    interface Faults {
        Fault of(int request);
    }

    final NavigableMap<String, byte[]> objects = new ConcurrentSkipListMap<>();
    final Map<String, AwsCredentials> accepted = new ConcurrentHashMap<>();
    final AtomicInteger requests = new AtomicInteger();
    final S3Uploads uploads = new S3Uploads(objects);
    final AtomicInteger lists = new AtomicInteger();

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private volatile Faults faults = number -> Fault.NONE;
    private volatile boolean open;
    private volatile boolean silent;
    private volatile String expired = "ExpiredToken";
    private volatile int pageSize = 1000;

    private S3Server(HttpServer server) {
        this.server = server;
        accepted.put(KEYS.accessKeyId(), KEYS);
    }

    static S3Server start() throws IOException {
        HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        S3Server server = new S3Server(http);
        http.setExecutor(server.threads);
        http.createContext("/", server::answer);
        http.start();
        return server;
    }

    S3Server faults(Faults some) {
        faults = some;
        return this;
    }

    /** Accepts requests without a signature. */
    S3Server open() {
        open = true;
        return this;
    }

    /** Refuses sessions that have ended without a body, as some servers and proxies do. */
    S3Server silent() {
        silent = true;
        return this;
    }

    /** The code that refuses sessions which have ended. */
    S3Server expired(String code) {
        expired = code;
        return this;
    }

    S3Server pageSize(int size) {
        pageSize = size;
        return this;
    }

    String endpoint() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    S3Address address(String prefix) {
        return new S3Address(BUCKET, prefix, Map.of("endpoint", endpoint()));
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            URI uri = exchange.getRequestURI();
            int number = requests.getAndIncrement();
            String bucket = "/" + BUCKET + "/";
            byte[] body = exchange.getRequestBody().readAllBytes();
            if (!open && !isSigned(exchange, body)) {
                return;
            }
            Fault fault = faults.of(number);
            if (fault == Fault.RESET) {
                return;
            }
            if (fault == Fault.SLOW_DOWN) {
                error(exchange, 503, "SlowDown", "Please reduce your request rate.");
            } else if (!(uri.getRawPath() + "/").startsWith(bucket)) {
                error(exchange, 404, "NoSuchBucket", "The specified bucket does not exist");
            } else if (uri.getRawPath().length() <= bucket.length()) {
                lists.incrementAndGet();
                send(exchange, 200, page(query(uri), fault == Fault.STALE).getBytes(StandardCharsets.UTF_8), fault);
            } else if (!Set.of("GET", "HEAD").contains(exchange.getRequestMethod())) {
                uploads.answer(exchange, decoded(uri.getRawPath().substring(bucket.length())), query(uri), body, fault);
            } else {
                object(exchange, decoded(uri.getRawPath().substring(bucket.length())), fault);
            }
        }
    }

    private boolean isSigned(HttpExchange exchange, byte[] body) throws IOException {
        String sent = exchange.getRequestHeaders().getFirst("Authorization");
        Matcher form = AUTHORIZATION.matcher(String.valueOf(sent));
        if (sent == null || !form.matches()) {
            error(exchange, 403, "AccessDenied", "Access Denied");
            return false;
        }
        AwsCredentials keys = accepted.get(form.group(1));
        if (keys == null) {
            boolean known = form.group(1).startsWith("session");
            if (known && silent) {
                exchange.sendResponseHeaders(403, -1);
                return false;
            }
            error(
                    exchange,
                    known ? 400 : 403,
                    known ? expired : "InvalidAccessKeyId",
                    known ? "The provided token has expired." : "The AWS Access Key Id you provided does not exist");
            return false;
        }
        SdkHttpRequest.Builder request = SdkHttpRequest.builder()
                .method(SdkHttpMethod.fromValue(exchange.getRequestMethod()))
                .uri(URI.create(endpoint() + exchange.getRequestURI()));
        List.of(form.group(2).split(";")).stream()
                .filter(name -> !name.equals("host") && !name.startsWith("x-amz-date"))
                .forEach(name ->
                        request.putHeader(name, exchange.getRequestHeaders().getFirst(name)));
        Instant made = DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'")
                .withZone(ZoneOffset.UTC)
                .parse(exchange.getRequestHeaders().getFirst("X-Amz-Date"), Instant::from);
        String expected = AwsV4HttpSigner.create()
                .sign(sign -> sign.identity(keys)
                        .request(request.build())
                        .payload(body.length == 0 ? null : () -> new ByteArrayInputStream(body))
                        .putProperty(AwsV4FamilyHttpSigner.SERVICE_SIGNING_NAME, "s3")
                        .putProperty(AwsV4HttpSigner.REGION_NAME, REGION)
                        .putProperty(HttpSigner.SIGNING_CLOCK, Clock.fixed(made, ZoneOffset.UTC))
                        .putProperty(AwsV4FamilyHttpSigner.DOUBLE_URL_ENCODE, false)
                        .putProperty(AwsV4FamilyHttpSigner.NORMALIZE_PATH, false)
                        .putProperty(AwsV4FamilyHttpSigner.PAYLOAD_SIGNING_ENABLED, body.length > 0))
                .request()
                .firstMatchingHeader("Authorization")
                .orElseThrow();
        if (!expected.equals(sent)) {
            error(exchange, 403, "SignatureDoesNotMatch", "The request signature we calculated does not match");
            return false;
        }
        return true;
    }

    private static Map<String, String> query(URI uri) {
        Map<String, String> values = new HashMap<>();
        for (String each : String.valueOf(uri.getRawQuery()).split("&", -1)) {
            int equals = each.indexOf('=');
            values.put(each.substring(0, Math.max(0, equals)), decoded(each.substring(equals + 1)));
        }
        return values;
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private String page(Map<String, String> query, boolean stale) {
        boolean escapes = "url".equals(query.get("encoding-type"));
        UnaryOperator<String> form = escapes ? S3Server::encoded : UnaryOperator.identity();
        String prefix = query.getOrDefault("prefix", "");
        String delimiter = query.get("delimiter");
        String after = query.getOrDefault("continuation-token", "");
        StringBuilder text = new StringBuilder("<?xml version=\"1.0\"?>\n<ListBucketResult>")
                .append(escapes ? "<EncodingType>url</EncodingType>" : "");
        TreeSet<String> prefixes = new TreeSet<>();
        String last = "";
        int count = 0;
        for (Map.Entry<String, byte[]> each : objects.tailMap(prefix).entrySet()) {
            String key = each.getKey();
            if (!key.startsWith(prefix) || count == pageSize) {
                break;
            }
            if (key.compareTo(after) <= 0) {
                continue;
            }
            last = key;
            int slash = delimiter == null ? -1 : key.indexOf(delimiter, prefix.length());
            if (slash < 0) {
                count++;
                boolean isOther = stale && count == 1;
                text.append(contents(form.apply(key), each.getValue(), isOther ? "before" : etag(each.getValue())));
                text.append(isOther ? contents(form.apply(key + ".gone.jpg"), each.getValue(), "before") : "");
            } else if (prefixes.add(key.substring(0, slash + 1))) {
                count++;
            }
        }
        prefixes.forEach(each ->
                text.append("<CommonPrefixes><Prefix>%s</Prefix></CommonPrefixes>".formatted(form.apply(each))));
        String higher = count < pageSize ? null : objects.higherKey(last);
        boolean more = higher != null && higher.startsWith(prefix);
        text.append("<IsTruncated>%s</IsTruncated>".formatted(more));
        return text.append(more ? "<NextContinuationToken>%s</NextContinuationToken>".formatted(last) : "")
                .append("</ListBucketResult>")
                .toString();
    }

    private static String contents(String key, byte[] object, String etag) {
        return ("<Contents><Key>%s</Key><Size>%d</Size><ETag>&quot;%s&quot;</ETag>"
                        + "<LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>")
                .formatted(key, object.length, etag);
    }

    static String etag(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private void object(HttpExchange exchange, String key, Fault fault) throws IOException {
        byte[] bytes = objects.get(key);
        if (bytes == null) {
            error(exchange, 404, "NoSuchKey", "The specified key does not exist.");
            return;
        }
        exchange.getResponseHeaders().set("ETag", "\"" + etag(bytes) + "\"");
        String asked = exchange.getRequestHeaders().getFirst("Range");
        @Nullable Matcher range = asked == null ? null : RANGE.matcher(asked);
        if (range == null || !range.matches()) {
            send(exchange, 200, bytes, fault);
            return;
        }
        int from = Integer.parseInt(range.group(1));
        int to = range.group(2).isEmpty()
                ? bytes.length - 1
                : Math.min(bytes.length - 1, Integer.parseInt(range.group(2)));
        int wrong = fault == Fault.WRONG_RANGE ? 1 : 0;
        exchange.getResponseHeaders()
                .set("Content-Range", "bytes %d-%d/%d".formatted(from + wrong, to + wrong, bytes.length));
        send(exchange, 206, Arrays.copyOfRange(bytes, from, to + 1), fault);
    }

    static void error(HttpExchange exchange, int status, String code, String message) throws IOException {
        String body =
                "<?xml version=\"1.0\"?>\n<Error><Code>%s</Code><Message>%s</Message></Error>".formatted(code, message);
        send(exchange, status, body.getBytes(StandardCharsets.UTF_8), Fault.NONE);
    }

    static void send(HttpExchange exchange, int status, byte[] bytes, Fault fault) throws IOException {
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.getResponseHeaders().set("Content-Length", Integer.toString(bytes.length));
            exchange.sendResponseHeaders(status, -1);
            return;
        }
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        int half = bytes.length / 2;
        exchange.getResponseBody().write(bytes, 0, half);
        if (fault == Fault.TRUNCATED && bytes.length > 0) {
            throw new IOException("cut");
        }
        if (fault == Fault.SLOW_BODY) {
            exchange.getResponseBody().flush();
            sleep();
        }
        exchange.getResponseBody().write(bytes, half, bytes.length - half);
    }

    private static void sleep() throws IOException {
        try {
            Thread.sleep(50);
        } catch (InterruptedException e) {
            throw new IOException(Objects.toString(e.getMessage()), e);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}

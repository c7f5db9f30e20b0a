package io.penstock.bench.scaling;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;

/**
 * A bucket of made-up objects in a process of its own: pages of lists and whole objects, in the protocol of S3. Keys
 * are {@code set/FOLDER/NUMBER.jpg}, a thousand in a folder. It checks no signatures.
 */
public final class BucketServer {

    static final String BUCKET = "data";
    static final int IN_FOLDER = 1000;
    static final int BYTES = 32 << 10;

    /** The address at which the server tells how many pages of lists it has sent. */
    static final String PAGES = "/pages";

    private static final int PAGE = 1000;
    private static final Pattern OBJECT = Pattern.compile("/" + BUCKET + "/(set/\\d{5}/\\d{3}\\.jpg)");
    private static final Pattern OPTION = Pattern.compile("[?&]([a-z-]+)=([^&]*)");

    private final int folders;
    private final Duration latency;
    private final byte[] body = new byte[BYTES];
    private final AtomicLong pages = new AtomicLong();

    private BucketServer(int folders, Duration latency) {
        this.folders = folders;
        this.latency = latency;
    }

    /** Serves until its standard input ends; prints its port. */
    public static void main(String[] arguments) throws Exception {
        BucketServer bucket =
                new BucketServer(Integer.parseInt(arguments[0]), Duration.ofMillis(Long.parseLong(arguments[1])));
        int port = HttpServer.create()
                .host("127.0.0.1")
                .port(0)
                .handle(bucket::answer)
                .bindNow()
                .port();
        System.out.println(port);
        while (System.in.read() >= 0) {
            // the parent has more to ask
        }
    }

    private Publisher<Void> answer(HttpServerRequest request, HttpServerResponse response) {
        if (request.uri().equals(PAGES)) {
            return response.sendString(Mono.just(Long.toString(pages.get())));
        }
        Matcher object = OBJECT.matcher(request.uri());
        if (object.matches()) {
            response.header(HttpHeaderNames.ETAG, etag(object.group(1)))
                    .header(HttpHeaderNames.CONTENT_LENGTH, Integer.toString(BYTES));
            Mono<Void> sent = Mono.from(response.sendObject(Unpooled.wrappedBuffer(body)));
            return latency.isZero() ? sent : Mono.delay(latency).then(sent);
        }
        if (!request.uri().contains("list-type=2")) {
            return response.status(HttpResponseStatus.NOT_FOUND).send();
        }
        pages.incrementAndGet();
        return response.sendString(Mono.fromSupplier(() -> page(request.uri())));
    }

    private static String option(String uri, String name) {
        Matcher options = OPTION.matcher(uri);
        while (options.find()) {
            if (options.group(1).equals(name)) {
                return URLDecoder.decode(options.group(2), StandardCharsets.UTF_8);
            }
        }
        return "";
    }

    private static String key(int number) {
        return "set/%05d/%03d.jpg".formatted(number / IN_FOLDER, number % IN_FOLDER);
    }

    private static String etag(String key) {
        return "\"%08x\"".formatted(key.hashCode());
    }

    /** The token of a page is the number of its first object, or of its first folder. */
    private String page(String uri) {
        String prefix = option(uri, "prefix");
        String token = option(uri, "continuation-token");
        boolean one = prefix.length() > "set/".length(); // of one folder
        boolean delimited = !option(uri, "delimiter").isEmpty() && !one;
        int begin = one ? Integer.parseInt(prefix.substring(4, 9)) * IN_FOLDER : 0;
        int first = token.isEmpty() ? begin : Integer.parseInt(token);
        int objects = one ? IN_FOLDER : folders * IN_FOLDER;
        int end = delimited ? folders : begin + objects;
        List<String> lines = new ArrayList<>();
        int last = Math.min(end, first + PAGE);
        for (int i = first; i < last; i++) {
            lines.add(
                    delimited
                            ? "<CommonPrefixes><Prefix>set/%05d/</Prefix></CommonPrefixes>".formatted(i)
                            : contents(key(i)));
        }
        return "<ListBucketResult><IsTruncated>%s</IsTruncated>%s%s</ListBucketResult>"
                .formatted(
                        last < end,
                        last < end ? "<NextContinuationToken>%d</NextContinuationToken>".formatted(last) : "",
                        String.join("", lines));
    }

    private static String contents(String key) {
        return "<Contents><Key>" + key + "</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>"
                + etag(key).replace("\"", "&quot;") + "</ETag><Size>" + BYTES
                + "</Size><StorageClass>STANDARD</StorageClass></Contents>";
    }
}

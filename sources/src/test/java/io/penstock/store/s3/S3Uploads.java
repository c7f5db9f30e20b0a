package io.penstock.store.s3;

import com.sun.net.httpserver.HttpExchange;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What changes objects on an {@link S3Server}: whole ones, and those in parts. */
final class S3Uploads {

    private static final Pattern PART = Pattern.compile("<PartNumber>(\\d+)</PartNumber><ETag>\"([^<]*)\"</ETag>");

    /** Parts by number, by upload. */
    final Map<String, NavigableMap<Integer, byte[]>> open = new ConcurrentHashMap<>();

    final AtomicInteger begun = new AtomicInteger();
    final AtomicInteger aborted = new AtomicInteger();
    final AtomicInteger parts = new AtomicInteger();

    /** Whether the answer to a request (its method and query) is lost once it was obeyed. */
    volatile BiPredicate<String, Map<String, String>> loses = (method, query) -> false;

    /** What a part waits for before it is answered. */
    volatile CountDownLatch answers = new CountDownLatch(0);

    volatile int smallest = 5 << 20;

    private final Map<String, byte[]> objects;

    S3Uploads(Map<String, byte[]> objects) {
        this.objects = objects;
    }

    void answer(HttpExchange exchange, String key, Map<String, String> query, byte[] body, S3Server.Fault fault)
            throws IOException {
        if (body.length > 0 && !isIntact(exchange, body)) {
            S3Server.error(exchange, 400, "BadDigest", "The Content-MD5 you specified did not match");
            return;
        }
        String id = query.get("uploadId");
        if (id != null && !open.containsKey(id)) {
            S3Server.error(exchange, 404, "NoSuchUpload", "The specified upload does not exist");
            return;
        }
        String answer = obey(exchange, key, query, body);
        if (answer.isEmpty() || loses.test(exchange.getRequestMethod(), query)) {
            return;
        }
        byte[] bytes = answer.equals("OK") ? new byte[0] : answer.getBytes(StandardCharsets.UTF_8);
        S3Server.send(exchange, exchange.getRequestMethod().equals("DELETE") ? 204 : 200, bytes, fault);
    }

    /** The answer's body; empty where the answer was sent. */
    private String obey(HttpExchange exchange, String key, Map<String, String> query, byte[] body) throws IOException {
        String id = String.valueOf(query.get("uploadId"));
        return switch (exchange.getRequestMethod()) {
            case "POST" ->
                query.containsKey("uploads")
                        ? begin()
                        : complete(exchange, key, id, new String(body, StandardCharsets.UTF_8));
            case "PUT" -> keep(exchange, key, query, body);
            default -> {
                if (query.containsKey("uploadId")) {
                    aborted.incrementAndGet();
                    open.remove(id);
                } else {
                    objects.remove(key);
                }
                yield "OK";
            }
        };
    }

    private String begin() {
        String fresh = "u/%d=".formatted(begun.incrementAndGet());
        open.put(fresh, new ConcurrentSkipListMap<>());
        return "<InitiateMultipartUploadResult><UploadId>%s</UploadId></InitiateMultipartUploadResult>"
                .formatted(fresh);
    }

    private String keep(HttpExchange exchange, String key, Map<String, String> query, byte[] body) throws IOException {
        if (query.containsKey("partNumber")) {
            await();
            parts.incrementAndGet();
            NavigableMap<Integer, byte[]> upload = open.get(String.valueOf(query.get("uploadId")));
            if (upload != null) {
                upload.put(Integer.parseInt(query.get("partNumber")), body);
            }
        } else {
            objects.put(key, body);
        }
        exchange.getResponseHeaders().set("ETag", "\"" + S3Server.etag(body) + "\"");
        return "OK";
    }

    private void await() throws IOException {
        try {
            answers.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private String complete(HttpExchange exchange, String key, String id, String body) throws IOException {
        NavigableMap<Integer, byte[]> sent = open.get(id);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        Matcher part = PART.matcher(body);
        int last = sent.lastKey();
        while (part.find()) {
            int number = Integer.parseInt(part.group(1));
            byte[] bytes = sent.get(number);
            if (bytes == null || !part.group(2).equals(S3Server.etag(bytes))) {
                S3Server.error(exchange, 400, "InvalidPart", "One or more of the specified parts could not be found");
                return "";
            }
            if (bytes.length < smallest && number != last) {
                S3Server.error(exchange, 400, "EntityTooSmall", "Your proposed upload is smaller than allowed");
                return "";
            }
            all.write(bytes);
        }
        open.remove(id);
        objects.put(key, all.toByteArray());
        return "<CompleteMultipartUploadResult><Key>x</Key></CompleteMultipartUploadResult>";
    }

    private static boolean isIntact(HttpExchange exchange, byte[] body) {
        try {
            byte[] sum = MessageDigest.getInstance("MD5").digest(body);
            String sent = exchange.getRequestHeaders().getFirst("Content-MD5");
            return sent != null && Arrays.equals(sum, Base64.getDecoder().decode(sent));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}

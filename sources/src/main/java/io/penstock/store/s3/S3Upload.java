package io.penstock.store.s3;

import io.penstock.fault.StoreException;
import io.penstock.internal.Digests;
import io.penstock.internal.Notice;
import io.penstock.output.UnfinishedOutput;
import io.penstock.store.StoreEntry;
import io.penstock.store.http.internal.HttpReads;
import io.penstock.store.http.internal.Submission;
import io.penstock.store.http.internal.Submitted;
import io.penstock.store.internal.Waiting;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;

/**
 * An object that is sent in parts, and is there when the last request of all says so. One of up to a part is sent in
 * one request. The first part is sent last, since what begins it may be known last.
 *
 * <p>Memory: a part that is filled, the first one, and those on their way: 48 MiB. Parts have 8 MiB; since there may be
 * 10 000, they double after each 1000.
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html">multipart upload</a>
 */
final class S3Upload implements UnfinishedOutput {

    private static final Logger LOG = LoggerFactory.getLogger(S3Upload.class);

    private static final int SMALLEST = 64 << 10;
    private static final int OF_ONE_SIZE = 1000;
    private static final int MAX_PARTS = 8 * OF_ONE_SIZE; // the last ones of 1 GiB
    private static final int MAX_START = 64 << 10;
    private static final int AT_ONCE = 4;
    private static final Duration FOR_ABORT = Duration.ofSeconds(20);
    private static final String GONE = "NoSuchUpload";
    private static final Pattern ID = Pattern.compile("<UploadId>\\s*([^<]{1,4000}?)\\s*</UploadId>");

    private final HttpReads bucket;
    private final int partBytes;
    private final String key;
    private final String location;
    private final Consumer<S3Upload> ended;
    private final Semaphore permits = new Semaphore(AT_ONCE);
    private final Disposable.Composite sending = Disposables.composite();
    private final Map<Integer, String> etags = new ConcurrentSkipListMap<>();

    private ByteBuffer filling = ByteBuffer.allocate(SMALLEST);
    private @Nullable ByteBuffer first;
    private int parts;
    private long size;
    private boolean finished;
    private volatile boolean closed;
    private volatile @Nullable String id;
    private volatile @Nullable Throwable failure;

    /**
     * Sends nothing yet.
     * @param partBytes of the first parts; at least 64 KiB
     * @param ended     called when it is finished or closed
     */
    S3Upload(HttpReads bucket, int partBytes, String key, String location, Consumer<S3Upload> ended) {
        this.partBytes = partBytes;
        this.bucket = bucket;
        this.key = key;
        this.location = location;
        this.ended = ended;
    }

    @Override
    public String location() {
        return location;
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public void append(ByteBuffer... bytes) throws IOException {
        requireOpen();
        for (ByteBuffer each : bytes) {
            ByteBuffer left = each.duplicate();
            while (left.hasRemaining()) {
                if (!filling.hasRemaining()) {
                    makeRoom();
                }
                int now = Math.min(left.remaining(), filling.remaining());
                filling.put(left.slice().limit(now));
                left.position(left.position() + now);
                size += now;
            }
        }
    }

    private void makeRoom() throws IOException {
        int part = partBytes << parts / OF_ONE_SIZE;
        if (filling.capacity() < part) {
            ByteBuffer larger = ByteBuffer.allocate(Math.min(part, 2 * filling.capacity()));
            filling = larger.put(filling.flip());
            return;
        }
        sendFilled();
        filling = ByteBuffer.allocate(partBytes << parts / OF_ONE_SIZE);
    }

    private void sendFilled() throws IOException {
        if (++parts > MAX_PARTS) {
            throw new IOException("an object has at most %d parts; write smaller shards".formatted(MAX_PARTS));
        }
        ByteBuffer part = filling.flip();
        if (parts == 1) {
            first = part;
        } else {
            send(parts, part);
        }
    }

    @Override
    public void writeStart(ByteBuffer bytes) {
        if (bytes.remaining() > Math.min(size, MAX_START)) {
            throw new IllegalArgumentException("cannot write over the first %d bytes of %s, which has %d"
                    .formatted(bytes.remaining(), location, size));
        }
        ByteBuffer start = first == null ? filling : first;
        start.duplicate().position(0).put(bytes.duplicate());
    }

    private void send(int number, ByteBuffer part) throws IOException {
        String upload = begin();
        acquire(1);
        Submission sent = request("PUT", "partNumber=%d&uploadId=%s".formatted(number, upload), part);
        sending.add(bucket.submit(sent)
                .doFinally(how -> permits.release())
                .subscribe(done -> etags.put(number, done.etag()), e -> failure = e));
    }

    private String begin() throws IOException {
        String known = id;
        if (known != null) {
            return known;
        }
        Submitted begun = Waiting.forValue(bucket.submit(request("POST", "uploads=", ByteBuffer.allocate(0))));
        Matcher found = ID.matcher(StandardCharsets.UTF_8.decode(begun.body()));
        if (!found.find()) {
            throw new IOException("the server began no upload: its answer has no UploadId; check the endpoint");
        }
        String made = URLEncoder.encode(found.group(1), StandardCharsets.UTF_8).replace("+", "%20");
        id = made;
        if (closed) { // while it was begun
            abort();
        }
        requireOpen();
        return made;
    }

    private Submission request(String method, String query, ByteBuffer body, String... expected) {
        Map<String, String> headers = body.hasRemaining() ? Map.of("Content-MD5", md5(body)) : Map.of();
        return new Submission(method, key, query, headers, body, Set.of(expected));
    }

    private static String md5(ByteBuffer body) {
        MessageDigest digest = Digests.of("MD5");
        digest.update(body.duplicate());
        return Base64.getEncoder().encodeToString(digest.digest());
    }

    private void acquire(int permitted) throws IOException {
        try {
            permits.acquire(permitted);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (InterruptedIOException) new InterruptedIOException("interrupted").initCause(e);
        }
        requireOpen();
    }

    private void requireOpen() throws IOException {
        Throwable cause = failure;
        if (cause instanceof StoreException known) {
            throw known;
        }
        if (cause != null) {
            throw new IOException(cause.getMessage(), cause);
        }
        if (closed) {
            throw new IOException("it was closed");
        }
    }

    @Override
    public void finish() throws IOException {
        requireOpen();
        ByteBuffer held = first;
        if (held == null) {
            Waiting.forValue(bucket.submit(request("PUT", "", filling.flip())));
        } else {
            if (filling.position() > 0) {
                sendFilled();
            }
            send(1, held);
            acquire(AT_ONCE);
            complete();
        }
        finished = true;
        ended.accept(this);
    }

    private void complete() throws IOException {
        StringBuilder all = new StringBuilder("<CompleteMultipartUpload>");
        etags.forEach((number, etag) -> all.append("<Part><PartNumber>%d</PartNumber><ETag>%s</ETag></Part>"
                .formatted(number, etag.replace("&", "&amp;").replace("<", "&lt;"))));
        all.append("</CompleteMultipartUpload>");
        ByteBuffer body = StandardCharsets.UTF_8.encode(all.toString());
        Submitted answer = Waiting.forValue(bucket.submit(request("POST", "uploadId=" + id, body, GONE)));
        if (answer.code().equals(GONE)) { // completed by a request whose answer was lost, or aborted by somebody
            long there =
                    Waiting.forValue(bucket.entry(key).map(StoreEntry::size).defaultIfEmpty(-1L));
            if (there != size) {
                throw new IOException("its upload was aborted elsewhere; repeat the job");
            }
        }
    }

    @Override
    public void close() {
        if (finished || closed) {
            return;
        }
        closed = true;
        sending.dispose(); // which gives back the permits that a writer may wait for
        abort();
        ended.accept(this);
    }

    /** Parts that stay cost money, but are no object. */
    private void abort() {
        String upload = id;
        if (upload == null) {
            return;
        }
        Submission abort = request("DELETE", "uploadId=" + upload, ByteBuffer.allocate(0), GONE);
        Mono<Submitted> aborted = bucket.submit(abort).timeout(FOR_ABORT);
        try {
            Waiting.forValue(aborted.onErrorResume(e -> {
                Notice.warn(
                        LOG,
                        "cannot abort the upload of {}: {}; its parts stay until the bucket's rules remove them",
                        location,
                        e.getMessage());
                return Mono.just(new Submitted(GONE, "", ByteBuffer.allocate(0)));
            }));
        } catch (StoreException e) {
            Notice.warn(LOG, "the upload of {} was not aborted: {}", location, e.getMessage());
        }
    }
}

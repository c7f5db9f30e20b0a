package io.penstock.store.http.internal;

import io.penstock.fault.StoreException;
import io.penstock.store.Checksum;
import io.penstock.store.Manifest;
import io.penstock.store.StoreEntry;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** What is below an address, read over HTTP; with a signer the objects of an object store, which it also writes. */
public final class HttpReads implements AutoCloseable {

    private final BaseAddress base;
    private final HttpSettings options;
    private final Exchanges exchanges;
    private final Retries retries;

    private HttpReads(BaseAddress base, HttpSettings options, Exchanges exchanges) {
        this.base = base;
        this.options = options;
        this.exchanges = exchanges;
        this.retries = new Retries(options, () -> ThreadLocalRandom.current().nextDouble());
    }

    /**
     * The reads below an address. No request is sent yet.
     * @param signer signs each request to the store's own host; null where keys are paths. With one they are names:
     *     {@code a//b} is one
     * @throws IllegalArgumentException if it is not {@code http://…} or {@code https://…}, or has a fragment
     */
    public static HttpReads at(URI base, HttpSettings options, @Nullable RequestSigner signer) {
        BaseAddress folder = BaseAddress.of(base);
        BaseAddress address = signer == null ? folder : folder.ofObjects();
        return new HttpReads(address, options, new Exchanges(address, options, signer));
    }

    /** The address, without credentials, with a slash at its end. */
    public String location() {
        return base.location();
    }

    /** How many requests are in flight at most. */
    public int inFlight() {
        return options.inFlight;
    }

    /**
     * Checks a key.
     * @throws StoreException if it does not lie below the base
     */
    public void requireBelow(String key) {
        base.of(key);
    }

    /** An address as it may be printed: without user, password and query. */
    public static String shown(URI address) {
        return BaseAddress.withoutSecrets(address);
    }

    /** All bytes of an entry. */
    public Mono<ByteBuffer> read(StoreEntry entry) {
        return Mono.defer(() -> {
            URI address = base.of(entry.key());
            if (entry.size() > options.maxObjectBytes) {
                throw new StoreException(
                        "cannot read %s in %s: at most %d bytes are allowed, it has %d; read ranges, or raise maxObjectBytes"
                                .formatted(entry.key(), base, options.maxObjectBytes, entry.size()));
            }
            return run(address, Transfer.whole(exchanges, address, entry, options.compressed));
        });
    }

    /** A range of the bytes of an entry. */
    public Mono<ByteBuffer> read(StoreEntry entry, long offset, int length) {
        Objects.checkFromIndexSize(offset, (long) length, entry.size());
        if (length == 0) {
            return Mono.fromSupplier(() -> ByteBuffer.allocate(0));
        }
        return Mono.defer(() -> {
            URI address = base.of(entry.key());
            if (length > options.maxObjectBytes) {
                throw new StoreException(
                        "cannot read %s in %s: at most %d bytes are allowed, the range has %d; raise maxObjectBytes"
                                .formatted(entry.key(), base, options.maxObjectBytes, length));
            }
            return run(address, Transfer.part(exchanges, address, entry, offset, length));
        });
    }

    /** Asks with {@code HEAD}, or where a server does not answer that with a size, for the first byte. */
    public Mono<StoreEntry> entry(String key) {
        return Mono.defer(() -> {
            URI address = base.of(key);
            Inquiry inquiry = new Inquiry(exchanges, address, key);
            return retries.of("HEAD " + BaseAddress.shown(address), inquiry::attempt);
        });
    }

    /** Asks where the line lacks the size, or both checksum and entity tag. */
    public Mono<StoreEntry> entry(Manifest.Line line) {
        Checksum sum = line.checksum();
        String etag = line.etag();
        if (line.bytes() < 0 || sum == null && etag == null) {
            return entry(line.key());
        }
        long version = sum == null ? new Validator(etag, null, null).version() : sum.version();
        return Mono.just(new StoreEntry(line.key(), line.bytes(), version));
    }

    /** The version of an entry whose entity tag this is, quotes included. */
    public static long version(String etag) {
        return new Validator(etag, null, null).version();
    }

    /** Lines that come compressed are bounded as all else is. */
    public Mono<ByteBuffer> find(String key, int max, int maxLine) {
        return Mono.defer(() -> {
            URI address = base.of(key);
            long bytes = Math.min(max, options.maxObjectBytes);
            return run(address, Transfer.unlisted(exchanges, address, bytes, maxLine));
        });
    }

    /**
     * The answer to a query at the address itself, such as the request for a page of a list.
     * @param query its names and values, escaped
     * @param max bytes
     */
    public Mono<ByteBuffer> query(String query, int max) {
        return Mono.defer(() -> {
            URI address = base.query(query);
            Transfer transfer = Transfer.unlisted(exchanges, address, max, Integer.MAX_VALUE);
            return retries.of("GET " + BaseAddress.shown(address), transfer::attempt);
        });
    }

    /**
     * The answer to a request that changes something; faults that may pass are sent again, so it must do no harm twice.
     * Its body is not copied, and must stay as it is until the end.
     */
    public Mono<Submitted> submit(Submission submission) {
        return Mono.defer(() -> {
            URI address = base.of(submission.key(), submission.query());
            return retries.of(
                    submission.method() + " " + BaseAddress.shown(address),
                    () -> submission.attempt(exchanges, address));
        });
    }

    private Mono<ByteBuffer> run(URI address, Transfer transfer) {
        return retries.of("GET " + BaseAddress.shown(address), transfer::attempt);
    }

    /** Ends this: reads under way fail, and the last one of a server closes its connections. */
    @Override
    public void close() {
        exchanges.close();
    }

    /** The address, without credentials. */
    @Override
    public String toString() {
        return base.toString();
    }
}

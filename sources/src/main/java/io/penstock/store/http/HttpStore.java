package io.penstock.store.http;

import io.penstock.fault.StoreException;
import io.penstock.internal.OptionalLibrary;
import io.penstock.store.Checksum;
import io.penstock.store.Manifest;
import io.penstock.store.Store;
import io.penstock.store.StoreEntry;
import io.penstock.store.http.internal.HttpReads;
import io.penstock.store.internal.InOrder;
import io.penstock.store.internal.Waiting;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The files below an address, read over HTTP/1.1: {@code https://host/data/} and the key {@code train/1.jpg} make
 * {@code https://host/data/train/1.jpg}.
 *
 * <p>Faults that may pass (no connection, a broken or stalled answer, one of the wrong length, 408, 425, 429 and 5xx)
 * are asked again within {@link HttpOptions#attempts}, after waits with full jitter and never before {@code
 * Retry-After}. A body that broke off is resumed where the server can say that it is still the same one: {@code Range}
 * under {@code If-Range}, with a strong entity tag or an old enough date.
 *
 * <p>An entry's version is made of its entity tag, else of its modification date; a server that sends neither can
 * change bytes unnoticed, unless their number changes. Listed entries are asked for as they lie ({@code identity})
 * unless {@link HttpOptions#compressed} is set; what {@link #find} asks for may come as gzip or deflate, and is bounded
 * before and after. Servers that ignore ranges make every range a read from the beginning, at most 64 MiB into an
 * entry.
 *
 * <p>Needs {@code io.projectreactor.netty:reactor-netty-http} on the class path.
 *
 * <p>HTTP has no lists: {@link #list} gives what a {@link #manifest} names.
 *
 * <p>No thread waits. Values come from the network's event loops, so a subscriber that blocks has to change threads
 * first. Cancelling closes the exchange. Memory: what has come of each read in flight. Stores of one server and equal
 * limits share their connections. Closing is optional: idle connections close by themselves within 6 s.
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9110#section-14">RFC 9110, range requests</a>
 */
public final class HttpStore implements Store, AutoCloseable {

    /** Lines of a manifest that are asked about at a time: it is read before anyone has measured the server. */
    private static final int MAX_ASKED = 64;

    private final HttpReads reads;
    private final @Nullable String manifest;

    private HttpStore(HttpReads reads, @Nullable String manifest) {
        this.reads = reads;
        this.manifest = manifest;
    }

    /** The store below an address with {@link HttpOptions#standard}. */
    public static HttpStore at(URI base) {
        return at(base, HttpOptions.standard());
    }

    /**
     * The store below an address. No request is sent yet.
     * @param base its path is a folder whether or not it ends with a slash; user and password in it become
     *     {@code Authorization: Basic} and are not told again. A query in it, such as a signature, is sent with each
     *     request, and is in no message, location or key
     * @throws IllegalArgumentException if it is not {@code http://…} or {@code https://…}, or has a fragment
     * @throws IllegalStateException if Reactor Netty is not on the class path
     */
    public static HttpStore at(URI base, HttpOptions options) {
        OptionalLibrary.REACTOR_NETTY.require(HttpStore.class);
        return new HttpStore(HttpReads.at(base, options, null), null);
    }

    /**
     * The store of the folder that a manifest lies in, which then can be listed. A query is that of each request.
     * @throws IllegalArgumentException as {@link #at(URI, HttpOptions)}, or if the address ends with a slash
     */
    public static HttpStore ofManifest(URI manifest, HttpOptions options) {
        String path = manifest.getPath() == null ? "" : manifest.getPath();
        String name = path.substring(path.lastIndexOf('/') + 1);
        if (name.isEmpty()) {
            throw new IllegalArgumentException(
                    "address of a manifest must end with its name, was " + HttpReads.shown(manifest));
        }
        URI folder = manifest.resolve(".");
        String query = manifest.getRawQuery();
        return at(query == null ? folder : URI.create(folder + "?" + query), options)
                .manifest(name);
    }

    /**
     * The same store, connections shared, whose list is in the manifest of this key; see {@link Manifest} for its form.
     */
    public HttpStore manifest(String key) {
        reads.requireBelow(key);
        return new HttpStore(reads, key);
    }

    /** The address, without credentials, with a slash at its end. */
    @Override
    public String location() {
        return reads.location();
    }

    /**
     * Gives what the manifest names. Each call fetches it. Lines without size, or without checksum and
     * entity tag, cost a request each. Blocks until done, so not on a thread that must not.
     * @throws StoreException if there is no manifest, or an entry that it names is not there
     */
    @Override
    public void list(Visitor visitor) {
        String key = manifest;
        if (key == null) {
            throw new StoreException(
                    "cannot list %s: HTTP has no lists; name a manifest, a file with one JSON object a line"
                            .formatted(reads));
        }
        Manifest lines = Manifest.open(this, key);
        Waiting.forValue(Flux.fromIterable(lines.lines())
                        .transform(InOrder.map(Math.min(MAX_ASKED, reads.inFlight()), line -> entry(lines, line)))
                        .collectList())
                .forEach(entry -> visitor.file(entry.key(), entry.size(), entry.version()));
    }

    /** Known from the line where it says enough, asked for otherwise. */
    private Mono<StoreEntry> entry(Manifest manifest, Manifest.Line line) {
        Checksum sum = line.checksum();
        return entry(line)
                .switchIfEmpty(Mono.error(() -> new StoreException(
                        "%s is not in %s, although %s lists it".formatted(line.key(), reads, manifest.name()))))
                .map(now -> {
                    if (line.bytes() >= 0 && line.bytes() != now.size()) {
                        throw new StoreException("%s in %s has %d bytes, but %s says %d; write the manifest again"
                                .formatted(line.key(), reads, now.size(), manifest.name(), line.bytes()));
                    }
                    return sum == null ? now : new StoreEntry(line.key(), now.size(), sum.version());
                });
    }

    /** The key of the manifest, if this store has one. */
    public Optional<String> manifest() {
        return Optional.ofNullable(manifest);
    }

    @Override
    public Mono<ByteBuffer> read(StoreEntry entry) {
        return reads.read(entry);
    }

    @Override
    public Mono<ByteBuffer> read(StoreEntry entry, long offset, int length) {
        return reads.read(entry, offset, length);
    }

    /** Asks with {@code HEAD}, or where a server does not answer that with a size, for the first byte. */
    @Override
    public Mono<StoreEntry> entry(String key) {
        return reads.entry(key);
    }

    /** Asks where the line lacks the size, or both checksum and entity tag. */
    @Override
    public Mono<StoreEntry> entry(Manifest.Line line) {
        return reads.entry(line);
    }

    @Override
    public List<String> state(StoreEntry entry) {
        return entry.state();
    }

    /** Lines that come compressed are bounded as all else is. */
    @Override
    public Mono<ByteBuffer> find(String key, int max, int maxLine) {
        return reads.find(key, max, maxLine);
    }

    /**
     * Ends this store, and those that {@link #manifest(String)} made of it: reads under way fail, and the last store of a
     * server closes its connections.
     */
    @Override
    public void close() {
        reads.close();
    }

    /** The address, without credentials. */
    @Override
    public String toString() {
        return location();
    }
}

package io.penstock.store.http.internal;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.penstock.internal.Thrown;
import io.penstock.store.Checksum;
import io.penstock.store.StoreEntry;
import io.penstock.stream.Execution;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * One read over all its attempts: the bytes received so far, the state they belong to, and the next request.
 *
 * <p>Bytes of two states never meet. What is missing is asked for under {@code If-Range} with the state of what is
 * there, and if the answer is of another state, or cannot say, the read begins again. A reply for a listed entry must
 * be of the listed state.
 *
 * <p>An instance belongs to one subscription; its attempts follow each other.
 */
final class Transfer {

    /** Hashing more than this on an event loop would hold up its other connections. */
    private static final int MAX_ON_LOOP = 1 << 20;

    /** The max bytes that are discarded when a server ignores ranges. */
    private static final long MAX_SKIPPED = 64L << 20;

    private final Exchanges exchanges;
    private final URI address;
    private final @Nullable StoreEntry listed;
    private final long start;
    private final long length; // -1 if unknown
    private final boolean compressed;
    private final Arrival arrival;

    private @Nullable Validator state;
    private boolean ranged; // what is asked for now, or was
    private Inflation inflation = Inflation.NONE;
    private long skip;
    private int maxLine = Integer.MAX_VALUE;
    private boolean cut; // where a server without ranges sends more than was asked for

    private Transfer(
            Exchanges exchanges,
            URI address,
            @Nullable StoreEntry listed,
            long start,
            long length,
            long max,
            boolean compressed) {
        this.exchanges = exchanges;
        this.address = address;
        this.listed = listed;
        this.start = start;
        this.length = length;
        this.compressed = compressed;
        this.arrival = new Arrival(max);
    }

    /** All of an entry. */
    static Transfer whole(Exchanges exchanges, URI address, StoreEntry entry, boolean compressed) {
        long overhead = compressed ? entry.size() / 512 + 1024 : 0; // of what does not compress
        return new Transfer(exchanges, address, entry, 0, entry.size(), entry.size() + overhead, compressed);
    }

    /** A part of an entry. */
    static Transfer part(Exchanges exchanges, URI address, StoreEntry entry, long start, int length) {
        return new Transfer(exchanges, address, entry, start, length, length, false);
    }

    /** All bytes that are there now, if no line of it is longer than {@code maxLine} as it comes. */
    static Transfer unlisted(Exchanges exchanges, URI address, long max, int maxLine) {
        Transfer transfer = new Transfer(exchanges, address, null, 0, -1, max, true);
        transfer.maxLine = maxLine;
        return transfer;
    }

    /** The bytes; empty where there is nothing, for what was not listed. */
    Mono<ByteBuffer> attempt() {
        return Mono.defer(() -> exchanges.send(ask(), this::read)).flatMap(this::finish);
    }

    private Exchanges.Ask ask() {
        Map<CharSequence, String> headers = new HashMap<>();
        String sameState = state == null || inflation != Inflation.NONE ? null : state.strong();
        if (sameState == null || arrival.count() == 0) {
            startOver();
        } else {
            headers.put(HttpHeaderNames.IF_RANGE, sameState);
        }
        boolean part = listed != null && length < listed.size();
        ranged = part || arrival.count() > 0;
        if (ranged) {
            headers.put(
                    HttpHeaderNames.RANGE,
                    "bytes=%d-%s".formatted(start + arrival.count(), length < 0 ? "" : start + length - 1));
        }
        headers.put(HttpHeaderNames.ACCEPT_ENCODING, compressed && !ranged ? "gzip, deflate" : "identity");
        return new Exchanges.Ask(HttpMethod.GET, address, headers);
    }

    private void startOver() {
        arrival.clear();
        state = null;
        inflation = Inflation.NONE;
        skip = 0;
        cut = false;
    }

    private Publisher<End> read(Exchanges.Reply reply, Flux<ByteBuf> body) {
        return switch (reply.status()) {
            case 200 -> receive(whole(reply), body);
            case 206 -> receive(part(reply), body);
            case 404, 410 ->
                ErrorBody.read(body)
                        .flatMap(error -> error.isOfKey() ? Mono.just(End.ABSENT) : Mono.error(error.fault(reply)));
            case 416 -> {
                boolean resuming = arrival.count() > 0;
                startOver();
                yield Exchanges.drained(body, End.ABSENT)
                        .then(Mono.error(
                                resuming
                                        ? HttpFault.passing("its end is gone", "check the server")
                                        : changed("is shorter than byte %d".formatted(start + length - 1))));
            }
            default -> ErrorBody.read(body).flatMap(error -> Mono.error(error.fault(reply)));
        };
    }

    /** How an answer ended. */
    enum End {
        ABSENT,
        COMPLETE
    }

    /** Checks the head of a reply with all bytes; the number that must come, -1 where it does not say. */
    private long whole(Exchanges.Reply reply) {
        startOver(); // also where a part was asked for, of another state
        state = Validator.of(reply.headers());
        requireListed(state);
        inflation = Inflation.of(reply.header(HttpHeaderNames.CONTENT_ENCODING));
        long says = Statuses.length(reply);
        if (listed != null && inflation != Inflation.NONE && says == listed.size()) {
            inflation = Inflation.NONE; // stored compressed, and listed so
        }
        if (inflation != Inflation.NONE || listed == null) {
            arrival.requireRoom(says);
            return says;
        }
        if (says >= 0 && says != listed.size()) {
            throw wrongSize(says);
        }
        if (start > MAX_SKIPPED) {
            throw HttpFault.lasting("the server ignores ranges", "mirror the store, or serve it by another server");
        }
        skip = start;
        cut = length < listed.size();
        return length;
    }

    private long part(Exchanges.Reply reply) {
        ContentRange range = ContentRange.parse(reply.header(HttpHeaderNames.CONTENT_RANGE));
        long first = start + arrival.count();
        if (!ranged || range == null || range.first() != first) {
            startOver();
            throw HttpFault.passing(
                    "bytes from %d on were asked for, the answer is \"%s\""
                            .formatted(first, Words.plain(String.valueOf(reply.header(HttpHeaderNames.CONTENT_RANGE)))),
                    "check the server");
        }
        Validator now = Validator.of(reply.headers());
        if (arrival.count() > 0 && state != null && now.version() != state.version()) {
            startOver();
            throw HttpFault.passing("its rest is of another version", "check the server");
        }
        requireListed(now);
        state = now;
        if (listed != null && range.total() >= 0 && range.total() != listed.size()) {
            throw wrongSize(range.total());
        }
        long sent = range.last() - range.first() + 1;
        return length < 0 ? arrival.count() + sent : length;
    }

    private void requireListed(Validator now) {
        if (listed == null || listed.version() == 0 || Checksum.isVersion(listed.version())) {
            return;
        }
        if (now.version() != listed.version()) {
            throw changed(
                    now.version() == 0
                            ? "comes without ETag and Last-Modified"
                            : "has %s"
                                    .formatted(Words.plain(String.valueOf(
                                            now.etag() != null
                                                    ? "ETag " + now.etag()
                                                    : "changed " + now.lastModified()))));
        }
    }

    private HttpFault changed(String now) {
        return HttpFault.lasting(
                "changed since it was listed: had %d bytes, now %s".formatted(listed == null ? 0 : listed.size(), now),
                "open the data again");
    }

    /** The right state in the wrong length is a server's or a proxy's fault, and may pass. */
    private HttpFault wrongSize(long now) {
        startOver();
        return HttpFault.passing(
                "has %d bytes, was listed with %d".formatted(now, listed == null ? 0 : listed.size()),
                "open the data again if it has changed");
    }

    private Mono<End> receive(long expected, Flux<ByteBuf> body) {
        if (inflation == Inflation.NONE) {
            arrival.expect(expected);
        }
        Function<ByteBuf, Boolean> wantsMore = Thrown.function(bytes -> {
            take(bytes);
            return !cut || arrival.count() < length;
        });
        return body.takeWhile(wantsMore::apply).then(Mono.fromCallable(() -> {
            if (inflation == Inflation.NONE && expected >= 0 && arrival.count() != expected) {
                throw HttpFault.passing(
                        "ended after %d of %d bytes".formatted(arrival.count(), expected), "check the server");
            }
            return End.COMPLETE;
        }));
    }

    private void take(ByteBuf bytes) {
        int readable = bytes.readableBytes();
        int skipped = (int) Math.min(skip, readable);
        skip -= skipped;
        bytes.skipBytes(skipped);
        int expected = bytes.readableBytes();
        if (inflation == Inflation.NONE && ranged && length >= 0) {
            expected = (int) Math.min(expected, length - arrival.count());
        }
        if (!arrival.append(bytes, expected)) {
            long max = arrival.max();
            if (listed != null && inflation == Inflation.NONE) {
                startOver();
                throw HttpFault.passing(
                        "sends more than the %d bytes it was listed with".formatted(max),
                        "open the data again if it has changed");
            }
            throw Statuses.tooLarge(max);
        }
        if (maxLine < Integer.MAX_VALUE && inflation == Inflation.NONE && arrival.longestLine() > maxLine) {
            throw HttpFault.lasting(
                    "has a line of more than %d bytes".formatted(maxLine),
                    "check that the address is that of the right text");
        }
    }

    private Mono<ByteBuffer> finish(End end) {
        if (end == End.ABSENT) {
            return listed == null ? Mono.empty() : Mono.error(changed("is gone"));
        }
        boolean heavy = arrival.count() > MAX_ON_LOOP
                && (inflation != Inflation.NONE || listed != null && Checksum.isVersion(listed.version()));
        Mono<ByteBuffer> bytes = Mono.fromCallable(Thrown.callable(this::checked));
        return heavy ? bytes.subscribeOn(Execution.standard().workers()) : bytes;
    }

    private ByteBuffer checked() {
        ByteBuffer bytes = ByteBuffer.wrap(arrival.bytes(inflation, length < 0 ? arrival.max() : length));
        if (listed != null && bytes.remaining() != length) {
            throw wrongSize(bytes.remaining());
        }
        boolean sum = listed != null && length == listed.size() && Checksum.isVersion(listed.version());
        if (sum && !Checksum.matches(listed == null ? 0 : listed.version(), bytes)) {
            startOver();
            throw HttpFault.passing("its bytes do not match the checksum it was listed with", "check the data");
        }
        return bytes;
    }
}

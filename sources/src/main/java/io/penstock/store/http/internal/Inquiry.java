package io.penstock.store.http.internal;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.penstock.store.StoreEntry;
import java.net.URI;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Asks for the present size and version of an address, without its bytes. */
record Inquiry(Exchanges exchanges, URI address, String key) {

    private static final Map<CharSequence, String> AS_IT_LIES = Map.of(HttpHeaderNames.ACCEPT_ENCODING, "identity");
    private static final Map<CharSequence, String> FIRST_BYTE =
            Map.of(HttpHeaderNames.ACCEPT_ENCODING, "identity", HttpHeaderNames.RANGE, "bytes=0-0");

    Mono<StoreEntry> attempt() {
        return ask(new Exchanges.Ask(HttpMethod.HEAD, address, AS_IT_LIES), this::head);
    }

    private Mono<StoreEntry> ask(Exchanges.Ask ask, Exchanges.Reader<Mono<StoreEntry>> reader) {
        return exchanges.send(ask, reader).flatMap(found -> found);
    }

    private Publisher<Mono<StoreEntry>> head(Exchanges.Reply reply, Flux<ByteBuf> body) {
        long size = Statuses.length(reply);
        Mono<StoreEntry> found = switch (reply.status()) {
            case 200 -> size >= 0 ? entry(reply, size) : byFirstByte();
            case 404, 410 -> exchanges.isSigned() ? byFirstByte() : Mono.empty(); // says whether the bucket is missing
            case 405, 501 -> byFirstByte();
            default ->
                exchanges.isSigned() && reply.status() < 500
                        ? byFirstByte() // says why
                        : Mono.error(Statuses.fault(reply));
        };
        return Exchanges.drained(body, found);
    }

    private Mono<StoreEntry> byFirstByte() {
        return Mono.defer(() -> ask(new Exchanges.Ask(HttpMethod.GET, address, FIRST_BYTE), this::firstByte));
    }

    private Publisher<Mono<StoreEntry>> firstByte(Exchanges.Reply reply, Flux<ByteBuf> body) {
        ContentRange range = ContentRange.parse(reply.header(HttpHeaderNames.CONTENT_RANGE));
        boolean plain = Inflation.of(reply.header(HttpHeaderNames.CONTENT_ENCODING)) == Inflation.NONE;
        @Nullable Mono<StoreEntry> found = switch (reply.status()) {
            case 200 -> plain ? entry(reply, Statuses.length(reply)) : entry(reply, -1);
            case 206, 416 -> entry(reply, range == null ? -1 : range.total());
            default -> null;
        };
        return found != null
                ? Exchanges.drained(body, found)
                : ErrorBody.read(body)
                        .flatMap(error ->
                                isAbsent(reply, error) ? Mono.just(Mono.empty()) : Mono.error(error.fault(reply)));
    }

    private static boolean isAbsent(Exchanges.Reply reply, ErrorBody error) {
        return (reply.status() == 404 || reply.status() == 410) && error.isOfKey();
    }

    private Mono<StoreEntry> entry(Exchanges.Reply reply, long size) {
        return size >= 0
                ? Mono.just(
                        new StoreEntry(key, size, Validator.of(reply.headers()).version()))
                : Mono.error(HttpFault.lasting(
                        "does not say how many bytes it has", "give its bytes in a manifest, or use another server"));
    }
}

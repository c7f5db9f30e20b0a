package io.penstock.serve;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.penstock.arrow.ArrowStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.netty.FutureMono;
import reactor.netty.http.server.HttpServerResponse;

/**
 * {@code /batches}: an Arrow stream of all that one cursor brings, written from the batches' own memory.
 *
 * <p>One batch at a time is on its way to a consumer: the next is taken when the socket has the last byte of the one
 * before. Headers wait for the first batch, so that a run which cannot begin is answered with a status that says so; later failures
 * break the connection off, and whoever comes back with the token of the last batch is told then.
 */
final class StreamAnswer {

    private static final Logger LOG = LoggerFactory.getLogger(BatchServer.class);

    private final Cursor cursor;
    private final Function<Delivery, String> token;
    private final HttpServerResponse response;
    private final Channel channel;
    private final ArrowStream stream = ArrowStream.begin();
    private boolean begun; // by one thread after the other

    StreamAnswer(Cursor cursor, Function<Delivery, String> token, HttpServerResponse response, Channel channel) {
        this.cursor = cursor;
        this.token = token;
        this.response = response;
        this.channel = channel;
    }

    /** Completes when everything was written; an error if that was not possible. */
    Mono<Void> send() {
        return cursor.next()
                .flatMap(this::sendBatch)
                .defaultIfEmpty(false)
                .repeat()
                .takeWhile(more -> more)
                .then(Mono.defer(() -> begin().then(write(List.of(stream.end()), () -> {}))))
                .onErrorResume(cause -> begun, this::breakOff);
    }

    /** A batch that is not written, since the consumer left before, is given back all the same; one that is, when it was. */
    private Mono<Boolean> sendBatch(Delivery delivery) {
        AtomicBoolean settled = new AtomicBoolean();
        return begin().then(Mono.defer(() -> settled.compareAndSet(false, true) ? write(delivery) : Mono.empty()))
                .thenReturn(true)
                .doFinally(end -> {
                    if (settled.compareAndSet(false, true)) {
                        delivery.release();
                    }
                });
    }

    private Mono<Void> begin() {
        if (begun) {
            return Mono.empty();
        }
        begun = true;
        return response.header("Content-Type", BatchServer.MEDIA_TYPE)
                .header("Cache-Control", "no-store")
                .header("Penstock-Rank", Integer.toString(cursor.rank()))
                .sendHeaders()
                .then();
    }

    private Mono<Void> write(Delivery delivery) {
        return Mono.defer(() -> {
                    List<ByteBuffer> parts =
                            stream.next(delivery.batch(), Map.of("penstock.resume", token.apply(delivery)));
                    return write(parts, delivery::release);
                })
                .doOnError(e -> delivery.release());
    }

    /** @param written called when nobody needs the parts any more */
    private Mono<Void> write(List<ByteBuffer> parts, Runnable written) {
        return Mono.create(sink -> {
            ByteBuf bytes = Unpooled.wrappedBuffer(parts.size(), parts.toArray(ByteBuffer[]::new));
            channel.writeAndFlush(new DefaultHttpContent(bytes)).addListener(future -> {
                written.run();
                if (future.isSuccess()) {
                    sink.success();
                } else {
                    sink.error(future.cause());
                }
            });
        });
    }

    private Mono<Void> breakOff(Throwable cause) {
        if (channel.isActive() && !(cause instanceof CancellationException)) {
            LOG.warn("the run failed", cause);
        }
        return FutureMono.from(channel.close());
    }
}

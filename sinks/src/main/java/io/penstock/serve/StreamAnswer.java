package io.penstock.serve;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.penstock.arrow.ArrowStream;
import io.penstock.arrow.internal.BatchWords;
import io.penstock.internal.Told;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import reactor.core.publisher.Mono;
import reactor.netty.FutureMono;
import reactor.netty.http.server.HttpServerResponse;

/**
 * The answer to {@code /batches}: an Arrow stream of the batches of one cursor, written from their own memory.
 *
 * <p>One batch at a time is on its way to a consumer: the next is taken when the socket has the last byte of the one
 * before. Headers wait for the first batch, so that a run which cannot begin is answered with an error status. A later
 * failure closes the connection, and the consumer learns of it when it comes back with the token of its last batch.
 */
final class StreamAnswer {

    private final Cursor cursor;
    private final Function<Delivery, String> token;
    private final HttpServerResponse response;
    private final Channel channel;
    private final ArrowStream stream = ArrowStream.begin();
    private boolean begun; // one thread at a time

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

    /** Gives the batch back when it was written, or when the consumer left before that began. */
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
                            stream.next(delivery.batch(), Map.of(BatchWords.RESUME, token.apply(delivery)));
                    return write(parts, delivery::release);
                })
                .doOnError(e -> delivery.release());
    }

    /** @param written called when the parts are no longer needed */
    @SuppressWarnings("FutureReturnValueIgnored") // it is the promise
    private Mono<Void> write(List<ByteBuffer> parts, Runnable written) {
        return Told.mono(told -> {
            ByteBuf bytes = Unpooled.wrappedBuffer(parts.size(), parts.toArray(ByteBuffer[]::new));
            ChannelPromise sent = channel.newPromise();
            // told before the channel can tell that the consumer, who has all, has left
            sent.addListener(future -> told.attempt(() -> {
                written.run();
                told.tell(null, future.cause());
            }));
            channel.writeAndFlush(new DefaultHttpContent(bytes), sent);
        });
    }

    private Mono<Void> breakOff(Throwable cause) {
        if (channel.isActive() && !(cause instanceof CancellationException)) {
            BatchServer.warnOf(cause);
        }
        return FutureMono.from(channel.close());
    }
}

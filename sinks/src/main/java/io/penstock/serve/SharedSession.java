package io.penstock.serve;

import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/**
 * One connection that asks {@code /shared}: which batches its consumer has, until it says that it has done with them or is gone.
 * Requests of a connection come one after the other.
 */
interface SharedSession {

    AttributeKey<SharedSession> KEY = AttributeKey.valueOf(SharedSession.class, "session");

    /** The session of a connection, which its first request begins. */
    static SharedSession of(Channel channel, Supplier<SharedSession> begin) {
        SharedSession known = channel.attr(KEY).get();
        if (known != null) {
            return known;
        }
        SharedSession session = begin.get();
        channel.attr(KEY).set(session);
        channel.closeFuture().addListener(closed -> session.close());
        return session;
    }

    int rank();

    /**
     * Takes back what the consumer has done with and gives the next batch; empty after the last.
     * @throws Request.Refused if more were done than given, or the consumer has all that there can be
     */
    Mono<String> next(Request asked);

    /** The consumer is gone. */
    void close();
}

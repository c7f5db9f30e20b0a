package io.penstock.store.http.internal;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.util.AttributeKey;
import java.net.SocketAddress;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import reactor.netty.Connection;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.client.HttpClientResponse;
import reactor.netty.resources.ConnectionProvider;

/**
 * The connections to one server, which all stores there with equal limits share: a program that opens a data set again
 * and again and closes none has the sockets of one. They close with the last store, or when they are idle.
 */
final class SharedClient {

    private static final int MAX_HEADERS = 64 << 10;
    private static final Duration MAX_IDLE = Duration.ofSeconds(5);
    private static final Duration LOOK_FOR_IDLE = Duration.ofSeconds(1);

    /** A kernel asks again for a connection after 1 s, so the server has dropped the first question (RFC 6298, 2.1). */
    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

    private static final AttributeKey<Boolean> LATE = AttributeKey.valueOf(SharedClient.class, "late");

    private static final Map<Limits, SharedClient> OPEN = new HashMap<>(); // guarded by itself

    /** What a connection depends on; credentials are those of a request. */
    private record Limits(
            String server,
            int connections,
            Duration connectTimeout,
            Duration firstByteTimeout,
            Duration readTimeout,
            List<X509Certificate> trusted) {

        static Limits of(BaseAddress base, HttpSettings options) {

            return new Limits(
                    base.server(),
                    options.connections,
                    options.connectTimeout,
                    options.firstByteTimeout,
                    options.readTimeout,
                    options.trusted);
        }
    }

    /** Marks a connection that opened late; finding the server's address is no part of it. */
    private static final class Opening extends ChannelDuplexHandler {
        private long began;

        @Override
        public void connect(
                ChannelHandlerContext context, SocketAddress server, SocketAddress own, ChannelPromise connected)
                throws Exception {
            began = System.nanoTime();
            super.connect(context, server, own, connected);
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            if (System.nanoTime() - began > LATE_NANOS) {
                context.channel().attr(LATE).set(true);
            }
            context.fireChannelActive();
            context.pipeline().remove(this);
        }
    }

    private final Limits limits;
    private final ConnectionProvider connections;
    private final HttpClient client;
    private int users;

    private SharedClient(Limits limits) {
        this.limits = limits;
        this.connections = ConnectionProvider.builder("penstock")
                .maxConnections(limits.connections)
                .pendingAcquireMaxCount(-1)
                .pendingAcquireTimeout(limits.readTimeout)
                .maxIdleTime(MAX_IDLE)
                .evictInBackground(LOOK_FOR_IDLE)
                .build();
        SslContext trust = trust(limits.trusted);
        this.client = HttpClient.create(connections)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        Math.min(Integer.MAX_VALUE, limits.connectTimeout.toMillis()))
                .doOnChannelInit(
                        (observer, channel, server) -> channel.pipeline().addFirst(new Opening()))
                .responseTimeout(limits.firstByteTimeout)
                .followRedirect(false)
                .disableRetry(true)
                .httpResponseDecoder(spec -> spec.maxHeaderSize(MAX_HEADERS))
                .secure(spec -> spec.sslContext(trust).handshakeTimeout(limits.connectTimeout));
    }

    /** Tells the limiter if the connection of an answer opened late; {@code doOnRequest} would leak cancelled answers. */
    static void tellIfLate(HttpClientResponse reply) {
        if (reply instanceof Connection connection
                && connection.channel().attr(LATE).getAndSet(null) != null) {
            ConcurrencyLimiter.tooMany(reply.currentContextView());
        }
    }

    private static SslContext trust(List<X509Certificate> certificates) {
        try {
            SslContextBuilder builder = SslContextBuilder.forClient().endpointIdentificationAlgorithm("HTTPS");
            return certificates.isEmpty()
                    ? builder.build()
                    : builder.trustManager(certificates).build();
        } catch (SSLException e) {
            throw new IllegalArgumentException("certificates cannot be trusted: " + Words.of(e), e);
        }
    }

    /** The one for a server; {@link #release} gives it back. */
    static SharedClient of(BaseAddress base, HttpSettings options) {
        synchronized (OPEN) {
            SharedClient shared = OPEN.computeIfAbsent(Limits.of(base, options), SharedClient::new);
            shared.users++;
            return shared;
        }
    }

    HttpClient client() {
        return client;
    }

    void release() {
        synchronized (OPEN) {
            users--;
            if (users == 0) {
                OPEN.remove(limits);
                connections.dispose();
            }
        }
    }
}

package io.penstock.page;

import io.netty.channel.ChannelOption;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.penstock.access.Access;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;
import org.reactivestreams.Publisher;
import reactor.netty.ChannelBindException;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;

/**
 * An HTTP server on the loopback address, for requests that {@link Access} lets in.
 *
 * <p>Requests do not hold a thread while they come. One that has not come whole within {@value #REQUEST_SECONDS}
 * seconds is closed.
 */
public final class LoopbackServer implements AutoCloseable {

    private static final String NAME = "127.0.0.1";
    private static final int REQUEST_SECONDS = 5;
    private static final Duration REQUEST = Duration.ofSeconds(REQUEST_SECONDS);
    private static final Duration CLOSING = Duration.ofSeconds(10); // the maximum, for a machine under load

    private final Access access = Access.to("http", NAME);
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final DisposableServer server;

    private LoopbackServer(
            int port, BiFunction<HttpServerRequest, HttpServerResponse, ? extends Publisher<Void>> handler) {
        this.server = HttpServer.create()
                .host(NAME)
                .port(port)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .idleTimeout(REQUEST)
                .requestTimeout(REQUEST)
                .doOnChannelInit((observer, channel, remote) -> connections.add(channel))
                .handle((request, response) -> {
                    Optional<Access.Refusal> refusal = access.refusal(request.requestHeaders()::getAll);
                    return refusal.isPresent()
                            ? Answer.text(
                                    response,
                                    refusal.get().status(),
                                    refusal.get().reason())
                            : handler.apply(request, response);
                })
                .bindNow();
    }

    /**
     * Serves from now on.
     * @param flag    that sets the port, for messages
     * @param port    0 for any free one
     * @param handler called by threads of the server, which it must not block
     * @throws IllegalArgumentException if the port is taken, or none
     */
    public static LoopbackServer open(
            String flag,
            int port,
            BiFunction<HttpServerRequest, HttpServerResponse, ? extends Publisher<Void>> handler) {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("%s must be in [0, 65536), was %d".formatted(flag, port));
        }
        try {
            return new LoopbackServer(port, handler);
        } catch (ChannelBindException e) {
            throw new IllegalArgumentException(
                    "%s %d is taken or not allowed; choose another, or 0 for any free one".formatted(flag, port), e);
        }
    }

    public int port() {
        return server.port();
    }

    /** Closes all connections and gives the port back. */
    @Override
    public void close() {
        server.disposeNow(CLOSING);
        connections.close().awaitUninterruptibly();
    }
}

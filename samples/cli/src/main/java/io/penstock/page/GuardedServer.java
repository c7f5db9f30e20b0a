package io.penstock.page;

import io.netty.channel.ChannelOption;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.penstock.internal.Arguments;
import io.penstock.serve.internal.Access;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
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
 * An HTTP server for requests that {@link Access} lets in, on the loopback address unless it is told otherwise.
 *
 * <p>Requests do not hold a thread while they come. One that has not come whole within {@value #REQUEST_SECONDS}
 * seconds is closed.
 */
public final class GuardedServer implements AutoCloseable {

    public static final String LOOPBACK = "127.0.0.1";

    private static final int REQUEST_SECONDS = 5;
    private static final Duration REQUEST = Duration.ofSeconds(REQUEST_SECONDS);
    private static final Duration CLOSING = Duration.ofSeconds(10); // the maximum, for a machine under load

    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final DisposableServer server;

    private GuardedServer(
            InetSocketAddress address,
            BiFunction<HttpServerRequest, HttpServerResponse, ? extends Publisher<Void>> handler) {
        Access access = access(address.getAddress());
        this.server = HttpServer.create()
                .bindAddress(() -> address)
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
     * Serves on the loopback address from now on.
     * @param flag    that sets the port, for messages
     * @param port    0 for any free one
     * @param handler called by threads of the server, which it must not block
     * @throws IllegalArgumentException if the port is taken, or none
     */
    public static GuardedServer open(
            String flag,
            int port,
            BiFunction<HttpServerRequest, HttpServerResponse, ? extends Publisher<Void>> handler) {
        return open(flag, LOOPBACK, port, handler);
    }

    /** The same at an address, which may be one that other machines reach. */
    public static GuardedServer open(
            String flag,
            String host,
            int port,
            BiFunction<HttpServerRequest, HttpServerResponse, ? extends Publisher<Void>> handler) {
        Arguments.refuse(port < 0 || port > 65_535, "%s must be in [0, 65536), was %d", flag, port);
        InetSocketAddress address = new InetSocketAddress(host, port);
        Arguments.refuse(address.isUnresolved(), "there is no address to listen at: %s", host);
        try {
            return new GuardedServer(address, handler);
        } catch (ChannelBindException e) {
            throw new IllegalArgumentException(
                    "%s %d is taken or not allowed; choose another, or 0 for any free one".formatted(flag, port)
                            + (LOOPBACK.equals(host) ? "" : ": " + e.getMessage()),
                    e);
        }
    }

    private static Access access(InetAddress address) {
        Access access = Access.to("http", address.getHostAddress());
        try {
            return address.isLoopbackAddress()
                    ? access
                    : access.fromOtherMachines(InetAddress.getLocalHost().getHostName());
        } catch (UnknownHostException e) {
            return access.fromOtherMachines(address.getHostAddress());
        }
    }

    public int port() {
        return server.port();
    }

    @Override
    public void close() {
        server.disposeNow(CLOSING);
        connections.close().awaitUninterruptibly();
    }
}

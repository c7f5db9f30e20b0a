package io.penstock.page;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import io.penstock.access.Access;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The JDK's HTTP server on the loopback address, for requests that {@link Access} lets in.
 *
 * <p>A request holds a thread from its first byte on. One that has not come whole within {@value #REQUEST_SECONDS} seconds is
 * closed, and there are more threads than a browser opens connections, so that half-sent requests do not stop the others.
 */
public final class LoopbackServer implements AutoCloseable {

    private static final byte[] LOOPBACK = {127, 0, 0, 1};
    private static final String NAME = "127.0.0.1";
    private static final int REQUEST_SECONDS = 5;
    private static final int THREADS = 64;
    private static final int CONNECTIONS = 256;
    private static final int IDLE_SECONDS = 10;

    private final HttpServer server;
    private final Access access = Access.to("http", NAME);
    private final HttpHandler handler;
    private final ThreadPoolExecutor threads;

    private LoopbackServer(HttpServer server, String name, HttpHandler handler) {
        this.server = server;
        this.handler = handler;
        this.threads = new ThreadPoolExecutor(
                THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), work -> {
                    Thread thread = new Thread(work, name);
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    /**
     * Serves from now on.
     * @param flag that sets the port, for messages
     * @param port 0 for any free one
     * @param name of the threads
     * @throws IllegalArgumentException if the port is taken, or none
     */
    public static LoopbackServer open(String flag, int port, String name, HttpHandler handler) {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("%s must be in [0, 65536), was %d".formatted(flag, port));
        }
        // the JDK's server takes these from nowhere else, and reads them once
        System.setProperty("sun.net.httpserver.maxReqTime", Integer.toString(REQUEST_SECONDS));
        System.setProperty("jdk.httpserver.maxConnections", Integer.toString(CONNECTIONS));
        try {
            HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), port), 0);
            return new LoopbackServer(http, name, handler);
        } catch (BindException e) {
            throw new IllegalArgumentException(
                    "%s %d is taken or not allowed; choose another, or 0 for any free one".formatted(flag, port), e);
        } catch (IOException e) {
            throw new IllegalArgumentException("%s %d cannot be served: %s".formatted(flag, port, e), e);
        }
    }

    public int port() {
        return server.getAddress().getPort();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            Optional<Access.Refusal> refusal =
                    access.refusal(name -> exchange.getRequestHeaders().getOrDefault(name, List.of()));
            if (refusal.isPresent()) {
                Answer.text(exchange, refusal.get().status(), refusal.get().reason());
            } else {
                handler.handle(exchange);
            }
        }
    }

    /** Closes all connections and gives the port back. */
    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}

package io.penstock.bench;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.penstock.cache.Fingerprint;
import io.penstock.pipeline.Dataset;
import io.penstock.serve.internal.Access;
import io.penstock.store.StoreEntry;
import io.penstock.store.http.HttpOptions;
import io.penstock.store.http.HttpStore;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.resources.LoopResources;
import reactor.netty.tcp.TcpServer;

/**
 * One file on an HTTP server of this process in place of a distant one, under as many names as there are samples, so
 * that each sample costs a request. Client and server share the processors: the server must cost little, so one thread
 * answers each request with the same bytes from memory after a time.
 */
public final class DistantFiles implements AutoCloseable {

    private static final Duration CLOSING = Duration.ofSeconds(10); // max, for a machine under load

    private final LoopResources loop = LoopResources.create("distant", 1, true);
    private final DisposableServer server;
    private final HttpStore store;
    private final StoreEntry entry;

    private DistantFiles(Duration latency, byte[] file, HttpOptions options) {
        this.server = TcpServer.create()
                .host("127.0.0.1")
                .port(0)
                .runOn(loop)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .doOnChannelInit((observer, channel, remote) ->
                        channel.pipeline().addFirst(new HttpServerCodec(), new Late(latency.toNanos(), file)))
                .bindNow();
        this.store = HttpStore.at(URI.create("http://127.0.0.1:%d/".formatted(server.port())), options);
        this.entry = Objects.requireNonNull(store.entry("0").block(), "the server answers each name");
    }

    public static DistantFiles serve(Duration latency, byte[] file, HttpOptions options) {
        return new DistantFiles(latency, file, options);
    }

    private record Named(HttpStore store, StoreEntry entry, long size) implements Dataset<ByteBuffer> {
        @Override
        public Fingerprint fingerprint() {
            return Fingerprint.of("distant files", store.location(), Long.toString(size));
        }

        @Override
        public Mono<ByteBuffer> get(long index) {
            return store.read(new StoreEntry(Long.toString(index), entry.size(), entry.version()));
        }
    }

    public Dataset<ByteBuffer> dataset(long size) {
        return new Named(store, entry, size);
    }

    /** Seconds of one request at a time by a plain socket. */
    public double bareSeconds(int requests) {
        byte[] request = "GET /0.bin HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            long started = System.nanoTime();
            for (int i = 0; i < requests; i++) {
                socket.getOutputStream().write(request);
                skipHead(in);
                in.readFully(new byte[(int) entry.size()]);
            }
            return (System.nanoTime() - started) / 1e9 / requests;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void skipHead(DataInputStream in) throws IOException {
        int ends = 0;
        while (ends < 4) {
            int next = in.readUnsignedByte();
            ends = next == (ends % 2 == 0 ? '\r' : '\n') ? ends + 1 : 0;
        }
    }

    @Override
    public void close() {
        store.close();
        server.disposeNow(CLOSING);
        loop.disposeLater(Duration.ZERO, CLOSING).block();
    }

    /** Answers on the thread of the connection, in one write. */
    @ChannelHandler.Sharable
    private static final class Late extends SimpleChannelInboundHandler<HttpObject> {
        private static final Access ACCESS = Access.to("http", "127.0.0.1");

        private final long nanos;
        private final byte[] body;

        Late(long nanos, byte[] body) {
            this.nanos = nanos;
            this.body = body;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            context.channel().config().setAutoRead(true); // Reactor Netty reads on demand, of which there is none here
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // a client without an answer reports it
        protected void channelRead0(ChannelHandlerContext context, HttpObject part) {
            if (part instanceof HttpRequest request) {
                if (ACCESS.refusal(request.headers()::getAll).isPresent()) {
                    context.close();
                    return;
                }
                boolean head = request.method().equals(HttpMethod.HEAD);
                context.executor().schedule(() -> context.writeAndFlush(answer(head)), nanos, TimeUnit.NANOSECONDS);
            }
        }

        private FullHttpResponse answer(boolean head) {
            FullHttpResponse answer = new DefaultFullHttpResponse(
                    HttpVersion.HTTP_1_1,
                    HttpResponseStatus.OK,
                    head ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(body));
            answer.headers()
                    .set(HttpHeaderNames.CONTENT_LENGTH, body.length)
                    .set(HttpHeaderNames.ETAG, "\"1\"")
                    .set(HttpHeaderNames.ACCEPT_RANGES, "bytes");
            return answer;
        }
    }
}

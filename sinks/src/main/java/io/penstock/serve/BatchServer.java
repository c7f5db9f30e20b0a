package io.penstock.serve;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelOption;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.ssl.SslContext;
import io.penstock.fault.StoreException;
import io.penstock.internal.Notice;
import io.penstock.order.Position;
import io.penstock.serve.internal.Access;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.netty.ChannelBindException;
import reactor.netty.Connection;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;

/**
 * Serves the batches of a run over HTTP.
 * <pre>{@code
 *  try (BatchServer server = ServerPlan.of(feed).port(8080).start()) { server.served().block(); }
 * }</pre>
 *
 * <p>{@code GET /batches} is an Arrow IPC stream, as {@link io.penstock.arrow.ArrowStream} writes it, with the
 * metadata {@code penstock.resume} with each batch. A consumer that has had the batch goes on with this token, as the
 * header {@code Penstock-Resume} or the parameter {@code resume}. The stream ends with an end marker; a connection that
 * ends without it was broken off. With {@code batch=K} it has the K-th batch behind the token alone, which every server
 * of the same {@code /plan} makes alike. {@code GET /shared} gives places in shared memory instead, and {@code GET /status}
 * the runs.
 *
 * <p>Consumers at one position share a run, which goes at the pace of the slowest. A consumer at another position gets
 * a run of its own, of the same batches. If the feed has ranks, each consumer is one of them.
 *
 * <p>The server's threads are Netty's. They block only to make and remove the files of shared memory. Batches are made
 * on the threads of their run, and written from the memory they were stacked in.
 */
public final class BatchServer implements AutoCloseable {

    /** The content type of {@code /batches}. */
    public static final String MEDIA_TYPE = "application/vnd.apache.arrow.stream";

    private static final Logger LOG = LoggerFactory.getLogger(BatchServer.class);
    private static final Duration CLOSING = Duration.ofSeconds(10); // a machine that pauses needs that long
    private static final Duration REQUEST = Duration.ofSeconds(30);
    private static final int LONGEST_LINE = 16 << 10;

    private final ServerPlan plan;
    private final Access access;
    private final @Nullable SharedFolder folder;
    private final String scheme;
    private final Hubs hubs;
    private final NumberedBatches numbered;
    private final DisposableServer server;

    BatchServer(ServerPlan plan, @Nullable SslContext tls, @Nullable SharedFolder folder) {
        this.plan = plan;
        this.access = plan.access();
        this.folder = folder;
        this.scheme = tls == null ? "http" : "https";
        this.hubs = new Hubs(plan.feed, folder == null ? RunMemory::ofProcess : folder::begin, plan.consumers);
        this.numbered = new NumberedBatches(plan.feed, hubs);
        Duration first = plan.patience.compareTo(REQUEST) < 0 ? plan.patience : REQUEST;
        HttpServer http = HttpServer.create()
                .host(plan.door.host())
                .port(plan.door.port())
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .requestTimeout(REQUEST)
                .httpRequestDecoder(
                        limits -> limits.maxInitialLineLength(LONGEST_LINE).maxHeaderSize(LONGEST_LINE))
                .doOnChannelInit((observer, channel, remote) ->
                        channel.pipeline().addFirst(new WriteTimeout(plan.patience), new FirstRequestTimeout(first)))
                .handle(this::answer);
        if (tls != null) {
            http = http.secure(spec -> spec.sslContext(tls));
        }
        try {
            this.server = http.bindNow();
        } catch (ChannelBindException e) {
            throw new StoreException(
                    "cannot serve on %s port %d: it is taken or not allowed; choose another, or 0 for any free one"
                            .formatted(plan.door.host(), plan.door.port()),
                    e);
        }
    }

    /** The address to ask: {@code http://127.0.0.1:PORT/}. */
    public URI address() {
        String host = plan.door.host().contains(":") ? "[" + plan.door.host() + "]" : plan.door.host();
        return URI.create("%s://%s:%d/".formatted(scheme, host, server.port()));
    }

    /** Completes when every rank's last batch was sent to as many consumers as {@link ServerPlan#consumers} says. */
    public Mono<Void> served() {
        return hubs.served();
    }

    private Publisher<Void> answer(HttpServerRequest request, HttpServerResponse response) {
        return Mono.defer(() -> {
                    Request asked = Request.of(request, access, plan.feed.ranks());
                    Channel[] channel = new Channel[1];
                    response.withConnection(connection -> channel[0] = connection.channel());
                    FirstRequestTimeout.cancel(channel[0]);
                    response.withConnection(BatchServer::readOn);
                    numbered.requirePlan(asked);
                    return switch (asked.path()) {
                        case "/batches" ->
                            asked.batch() == null
                                    ? batches(asked, response, channel[0])
                                    : batch(asked, response, channel[0]);
                        case "/plan" ->
                            JsonAnswers.send(response, HttpResponseStatus.OK, numbered.plan(asked, from(asked)));
                        case "/shared" -> shared(asked, response, channel[0]);
                        case "/status" ->
                            JsonAnswers.send(
                                    response, HttpResponseStatus.OK, JsonAnswers.status(plan.feed, hubs.states()));
                        default ->
                            throw new Request.Refused(
                                    HttpResponseStatus.NOT_FOUND, "see /batches, /plan, /shared and /status");
                    };
                })
                .onErrorResume(cause -> refuse(response, cause));
    }

    /**
     * Reads once more after each answer. Otherwise a request that arrives while another thread finishes the last answer
     * can stay unread in the socket: Netty reads only what it is asked for here.
     */
    private static void readOn(Connection connection) {
        Channel channel = connection.channel();
        connection
                .onTerminate()
                .subscribe(none -> {}, e -> {}, () -> channel.eventLoop().execute(channel::read));
    }

    private Mono<Void> batches(Request asked, HttpServerResponse response, Channel channel) {
        Cursor cursor = join(asked);
        response.withConnection(connection -> connection.onDispose(cursor::close));
        return new StreamAnswer(cursor, this::token, response, channel)
                .send()
                .doOnSuccess(done -> whenSent(response, cursor.rank()))
                .doFinally(end -> cursor.close());
    }

    private Mono<Void> batch(Request asked, HttpServerResponse response, Channel channel) {
        Cursor cursor = numbered.begin(asked, from(asked));
        ChannelFutureListener gone = closed -> cursor.close();
        channel.closeFuture().addListener(gone);
        return new StreamAnswer(cursor, this::token, response, channel).send().doFinally(end -> {
            channel.closeFuture().removeListener(gone); // a connection has any number of such requests
            cursor.close();
        });
    }

    private Mono<Void> shared(Request asked, HttpServerResponse response, Channel channel) {
        if (folder == null) {
            throw new Request.Refused(HttpResponseStatus.NOT_FOUND, "this server was started without shared memory");
        }
        SharedFolder files = folder;
        SharedConsumer consumer = SharedConsumer.of(channel, () -> begin(asked, files, channel));
        return consumer.next(asked)
                .switchIfEmpty(Mono.fromSupplier(() -> {
                    whenSent(response, consumer.rank());
                    return "{\"end\":true}";
                }))
                .flatMap(message -> JsonAnswers.send(response, HttpResponseStatus.OK, message));
    }

    private SharedConsumer begin(Request asked, SharedFolder files, Channel channel) {
        BatchRing ring = asked.board() ? files.ring() : null;
        try {
            return SharedConsumer.begin(join(asked), this::token, ring, channel.eventLoop());
        } catch (RuntimeException e) {
            if (ring != null) {
                ring.close();
            }
            throw e;
        }
    }

    /**
     * Counts the end of a rank once the answer was sent: the caller of {@link #served} may then close the server at
     * once.
     */
    private void whenSent(HttpServerResponse response, int rank) {
        response.withConnection(
                connection -> connection.onTerminate().subscribe(none -> {}, e -> {}, () -> hubs.ended(rank)));
    }

    private Cursor join(Request asked) {
        return hubs.join(asked.rank(), asked.resume() == null ? null : from(asked));
    }

    private Position from(Request asked) {
        try {
            return asked.resume() == null ? plan.feed.start() : plan.feed.position(asked.resume());
        } catch (IllegalArgumentException e) {
            throw new Request.Refused(HttpResponseStatus.BAD_REQUEST, message(e));
        }
    }

    private String token(Delivery delivery) {
        return plan.feed.token(delivery.batch().next());
    }

    private static Mono<Void> refuse(HttpServerResponse response, Throwable cause) {
        HttpResponseStatus status;
        if (cause instanceof Request.Refused refused) {
            status = refused.status();
        } else if (cause instanceof Hubs.Full) {
            status = HttpResponseStatus.SERVICE_UNAVAILABLE;
        } else if (cause instanceof CancellationException) {
            status = HttpResponseStatus.SERVICE_UNAVAILABLE; // seldom seen: the consumer has left
        } else {
            warnOf(cause);
            status = HttpResponseStatus.INTERNAL_SERVER_ERROR;
        }
        if (response.hasSentHeaders()) {
            return Mono.error(cause);
        }
        if (status.equals(HttpResponseStatus.UNAUTHORIZED)) {
            response.header("WWW-Authenticate", "Bearer");
        }
        // a consumer with shared memory keeps its connection when it asks for too much
        return JsonAnswers.send(
                response.keepAlive(status.equals(HttpResponseStatus.CONFLICT)),
                status,
                JsonAnswers.error(message(cause)));
    }

    /** Consumers get the sentence too; the stack is for those who debug. */
    static void warnOf(Throwable cause) {
        Notice.warn(LOG, "the run failed: {}", message(cause));
        LOG.debug("the run failed", cause);
    }

    private static String message(Throwable cause) {
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }

    /** Sends every consumer away and stops serving; takes a third of a second at most. */
    @Override
    public void close() {
        hubs.close();
        server.disposeNow(CLOSING);
        if (folder != null) {
            folder.close();
        }
    }

    /** The address. */
    @Override
    public String toString() {
        return address().toString();
    }
}

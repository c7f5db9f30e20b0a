package io.penstock.serve;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.util.AttributeKey;
import io.penstock.pipeline.Batch;
import io.penstock.tensor.Tensor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/**
 * One connection that asks {@code /shared} again and again: which batches it has, until it says that it has done with them or
 * is gone. Requests of a connection come one after the other.
 */
final class SharedSession {

    private static final AttributeKey<SharedSession> KEY = AttributeKey.valueOf(SharedSession.class, "session");

    private final Cursor cursor;
    private final Function<Delivery, String> token;
    private final Object lock = new Object();
    private final Deque<Delivery> out = new ArrayDeque<>();
    private long given;
    private boolean closed;

    private SharedSession(Cursor cursor, Function<Delivery, String> token) {
        this.cursor = cursor;
        this.token = token;
    }

    /** The session of a connection, which its first request begins. */
    static SharedSession of(Channel channel, Supplier<Cursor> join, Function<Delivery, String> token) {
        SharedSession known = channel.attr(KEY).get();
        if (known != null) {
            return known;
        }
        SharedSession session = new SharedSession(join.get(), token);
        channel.attr(KEY).set(session);
        channel.closeFuture().addListener(closed -> session.close());
        return session;
    }

    int rank() {
        return cursor.rank();
    }

    /**
     * Takes the first {@code done} batches back and gives the next; empty after the last.
     * @throws Request.Refused if more were done than given, or the consumer has all that there can be
     */
    Mono<ObjectNode> next(long done) {
        int left = giveBack(done);
        if (left >= Hub.DEPTH) {
            throw new Request.Refused(
                    HttpResponseStatus.CONFLICT,
                    "%d batches are out, which is all that there are: give one back with done=N".formatted(left));
        }
        return cursor.next().map(this::message);
    }

    private int giveBack(long done) {
        List<Delivery> back = new ArrayList<>();
        int left;
        synchronized (lock) {
            if (done > given) {
                throw new Request.Refused(
                        HttpResponseStatus.BAD_REQUEST,
                        "done must be at most the %d batches given, was %d".formatted(given, done));
            }
            while (given - out.size() < done) {
                back.add(out.remove());
            }
            left = out.size();
        }
        back.forEach(Delivery::release);
        return left;
    }

    private ObjectNode message(Delivery delivery) {
        long number;
        boolean late;
        synchronized (lock) {
            late = closed;
            number = given;
            if (!late) {
                out.add(delivery);
                given++;
            }
        }
        if (late) {
            delivery.release();
            throw new Request.Refused(HttpResponseStatus.SERVICE_UNAVAILABLE, "the connection is closed");
        }
        Batch batch = delivery.batch();
        SharedFile file = (SharedFile) delivery.hub().memory();
        ObjectNode message = Json.object()
                .put("batch", number)
                .put("rank", cursor.rank())
                .put("size", batch.size())
                .put("masked", batch.mask().isPresent())
                .put("epoch", batch.epoch())
                .put("resume", token.apply(delivery))
                .put("file", file.toString());
        ArrayNode fields = message.putArray("fields");
        for (String name : batch.names()) {
            Tensor tensor = batch.tensor(name);
            ObjectNode field = fields.addObject()
                    .put("name", name)
                    .put("dtype", tensor.dtype().toString())
                    .put("at", file.offsetOf(tensor));
            ArrayNode shape = field.putArray("shape");
            for (long dim : tensor.shape().toArray()) {
                shape.add(dim);
            }
        }
        return message;
    }

    private void close() {
        List<Delivery> back;
        synchronized (lock) {
            closed = true;
            back = List.copyOf(out);
            out.clear();
        }
        back.forEach(Delivery::release);
        cursor.close();
    }
}

package io.penstock.serve;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;
import java.util.List;
import reactor.core.publisher.Mono;
import reactor.netty.ByteBufMono;
import reactor.netty.http.server.HttpServerResponse;

/** Answers that are one small JSON object. */
final class JsonAnswers {

    private JsonAnswers() {}

    static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    static ObjectNode error(String message) {
        return object().put("error", message);
    }

    static ObjectNode status(BatchFeed feed, List<Hub.State> states) {
        ObjectNode status = object().put("ranks", feed.ranks());
        ArrayNode runs = status.putArray("runs");
        for (Hub.State state : states) {
            runs.addObject()
                    .put("rank", state.rank())
                    .put("at", feed.token(state.head()))
                    .put("consumers", state.consumers());
        }
        return status;
    }

    static Mono<Void> send(HttpServerResponse response, HttpResponseStatus status, ObjectNode json) {
        return send(response, status, json.toString());
    }

    static Mono<Void> send(HttpServerResponse response, HttpResponseStatus status, String json) {
        byte[] bytes = (json + "\n").getBytes(StandardCharsets.UTF_8);
        return response.status(status)
                .header("Content-Type", "application/json")
                .header("Content-Length", Integer.toString(bytes.length))
                .header("Cache-Control", "no-store")
                .send(ByteBufMono.fromString(Mono.just(json + "\n")))
                .then();
    }
}

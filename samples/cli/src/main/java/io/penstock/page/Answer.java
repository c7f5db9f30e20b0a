package io.penstock.page;

import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;
import reactor.core.publisher.Mono;
import reactor.netty.http.server.HttpServerResponse;

/** How answers are written. */
public final class Answer {

    private static final String TEXT = "text/plain; charset=utf-8";

    /** Everything comes from here, but for pictures, which come inside the events. */
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
            + "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private Answer() {}

    static Mono<Void> text(HttpServerResponse response, int status, String text) {
        return bytes(response, status, TEXT, (text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    public static Mono<Void> bytes(HttpServerResponse response, int status, String type, byte[] bytes) {
        return head(response, type)
                .status(HttpResponseStatus.valueOf(status))
                .header("Content-Length", Integer.toString(bytes.length))
                .sendByteArray(Mono.just(bytes))
                .then();
    }

    static HttpServerResponse head(HttpServerResponse response, String type) {
        return response.header("Content-Type", type)
                .header("Content-Security-Policy", POLICY)
                .header("X-Content-Type-Options", "nosniff")
                .header("Referrer-Policy", "no-referrer")
                .header("Cross-Origin-Resource-Policy", "same-origin")
                .header("Cache-Control", "no-store");
    }
}

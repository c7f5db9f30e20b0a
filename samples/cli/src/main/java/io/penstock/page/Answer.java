package io.penstock.page;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** How answers are written. */
final class Answer {

    static final String TEXT = "text/plain; charset=utf-8";

    /** Everything comes from here, but for pictures, which come inside the events. */
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
            + "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private Answer() {}

    static void text(HttpExchange exchange, int status, String text) throws IOException {
        bytes(exchange, status, TEXT, (text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    static void bytes(HttpExchange exchange, int status, String type, byte[] bytes) throws IOException {
        head(exchange, type);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        try (OutputStream body = exchange.getResponseBody()) {
            body.write(bytes);
        }
    }

    static void file(HttpExchange exchange, PageFiles.PageFile file) throws IOException {
        head(exchange, file.type());
        exchange.sendResponseHeaders(200, file.length());
        try (OutputStream body = exchange.getResponseBody()) {
            file.writeTo(body);
        }
    }

    static void head(HttpExchange exchange, String type) {
        Headers headers = exchange.getResponseHeaders();
        headers.set("Content-Type", type);
        headers.set("Content-Security-Policy", POLICY);
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("Referrer-Policy", "no-referrer");
        headers.set("Cross-Origin-Resource-Policy", "same-origin");
        headers.set("Cache-Control", "no-store");
    }
}

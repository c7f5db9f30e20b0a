package io.penstock.serve;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import reactor.netty.http.server.HttpServerRequest;

/**
 * A request that was let in.
 *
 * @param path   without its query
 * @param resume the token to go on at, if one was sent
 * @param rank   that was asked for, if one was
 * @param done   how many batches of this connection the consumer has done with; 0 unless it says
 * @param next   which batch of this connection it wants, where they are announced; 0 unless it says
 * @param board  whether they are to be announced on a board
 */
record Request(
        String path, @Nullable String resume, @Nullable Integer rank, long done, long next, boolean board) {

    private static final String BEARER = "Bearer ";
    private static final int LONGEST_TOKEN = 4096;
    private static final Pattern LOOPBACK =
            Pattern.compile("(?:localhost|127(?:\\.\\d{1,3}){3}|\\[::1])(?::\\d{1,5})?", Pattern.CASE_INSENSITIVE);
    private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");

    /** Why a request is not let in. */
    static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final transient HttpResponseStatus status;

        Refused(HttpResponseStatus status, String message) {
            super(message, null, false, false);
            this.status = status;
        }

        HttpResponseStatus status() {
            return status;
        }
    }

    /**
     * Reads a request, its bearer token first.
     * @param secret that it must bring; null for none, and then it must come to a loopback name: a page that has its own
     *     name resolve to 127.0.0.1 could read what is served otherwise
     * @throws Refused if it is not let in or not understood
     */
    static Request of(HttpServerRequest request, @Nullable String secret, int ranks) {
        if (secret != null) {
            requireSecret(request.requestHeaders().get(HttpHeaderNames.AUTHORIZATION), secret);
        } else if (!isLoopback(request.requestHeaders().get(HttpHeaderNames.HOST))) {
            throw new Refused(HttpResponseStatus.FORBIDDEN, "ask 127.0.0.1 or localhost: the Host header is another");
        }
        if (!request.method().equals(HttpMethod.GET)) {
            throw new Refused(HttpResponseStatus.METHOD_NOT_ALLOWED, "only GET");
        }
        QueryStringDecoder query;
        try {
            query = new QueryStringDecoder(request.uri());
            return of(query, request.requestHeaders().get("Penstock-Resume"), ranks);
        } catch (IllegalArgumentException e) {
            throw new Refused(HttpResponseStatus.BAD_REQUEST, "the query cannot be read");
        }
    }

    private static Request of(QueryStringDecoder query, @Nullable String header, int ranks) {
        String resume = header == null ? parameter(query, "resume") : header;
        if (resume != null && resume.length() > LONGEST_TOKEN) {
            throw new Refused(HttpResponseStatus.BAD_REQUEST, "a resume token is shorter");
        }
        Long rank = number(query, "rank");
        if (rank != null && rank >= ranks) {
            throw new Refused(HttpResponseStatus.BAD_REQUEST, "rank must be in [0, %d), was %d".formatted(ranks, rank));
        }
        return new Request(
                query.path(),
                resume,
                rank == null ? null : rank.intValue(),
                count(query, "done"),
                count(query, "next"),
                count(query, "board") != 0);
    }

    private static @Nullable String parameter(QueryStringDecoder query, String name) {
        List<String> values = query.parameters().get(name);
        return values == null || values.isEmpty() ? null : values.get(0);
    }

    private static long count(QueryStringDecoder query, String name) {
        Long number = number(query, name);
        return number == null ? 0 : number;
    }

    private static @Nullable Long number(QueryStringDecoder query, String name) {
        String text = parameter(query, name);
        if (text == null) {
            return null;
        }
        if (!NUMBER.matcher(text).matches()) {
            throw new Refused(HttpResponseStatus.BAD_REQUEST, name + " must be a number from 0 on");
        }
        return Long.valueOf(text);
    }

    private static void requireSecret(@Nullable String authorization, String secret) {
        String sent = authorization != null && authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
                ? authorization.substring(BEARER.length()).strip()
                : "";
        // in a time that does not tell how much of it was right
        if (!MessageDigest.isEqual(sent.getBytes(StandardCharsets.UTF_8), secret.getBytes(StandardCharsets.UTF_8))) {
            throw new Refused(HttpResponseStatus.UNAUTHORIZED, "this server wants its bearer token");
        }
    }

    private static boolean isLoopback(@Nullable String host) {
        return host != null && LOOPBACK.matcher(host).matches();
    }
}

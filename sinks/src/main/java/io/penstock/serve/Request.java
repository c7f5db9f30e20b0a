package io.penstock.serve;

import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.penstock.serve.internal.Access;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import reactor.netty.http.server.HttpServerRequest;

/**
 * A request that was accepted.
 *
 * @param path   without its query
 * @param resume the token to go on at, or null
 * @param rank   the rank asked for, or null
 * @param done   how many batches of this connection the consumer has done with; 0 unless given
 * @param next   the number of the batch of this connection to answer with; null for the one after the last answer
 * @param board  whether the batches are announced in a {@link BatchRing} too
 * @param batch  the number of the only batch to answer with, from the token on; null for all
 * @param plan   the fingerprint of the plan that the consumer has, or null
 */
record Request(
        String path,
        @Nullable String resume,
        @Nullable Integer rank,
        long done,
        @Nullable Long next,
        boolean board,
        @Nullable Long batch,
        @Nullable String plan) {

    private static final int LONGEST_TOKEN = 4096;
    private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");

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
     * Checks the access of a request, then reads it.
     * @throws Refused if it has no access or cannot be read
     */
    static Request of(HttpServerRequest request, Access access, int ranks) {
        access.refusal(request.requestHeaders()::getAll).ifPresent(refusal -> {
            throw new Refused(HttpResponseStatus.valueOf(refusal.status()), refusal.reason());
        });
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
                number(query, "next"),
                count(query, "board") != 0,
                number(query, "batch"),
                parameter(query, "plan"));
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
}

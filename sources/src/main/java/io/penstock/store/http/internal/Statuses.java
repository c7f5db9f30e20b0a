package io.penstock.store.http.internal;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.Locale;
import java.util.regex.Pattern;

/** The faults of answers without bytes. */
final class Statuses {

    private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");

    private Statuses() {}

    static HttpFault fault(Exchanges.Reply reply) {
        int status = reply.status();
        String answered = "answered %d (%s)"
                .formatted(
                        status,
                        HttpResponseStatus.valueOf(status).reasonPhrase().toLowerCase(Locale.ROOT));
        return switch (status) {
            case 401 -> HttpFault.lasting(answered, "check the token or password");
            case 403 -> HttpFault.lasting(answered, "check what the credentials allow");
            case 408, 425 -> HttpFault.passing(answered, "check the server");
            case 429, 503 -> HttpFault.busy(answered, Exchanges.retryAfter(reply), "ask for less: lower inFlight");
            case 501, 505 -> HttpFault.lasting(answered, "use another server");
            default ->
                status >= 500
                        ? HttpFault.later(answered, Exchanges.retryAfter(reply), "check the server, or lower inFlight")
                        : HttpFault.lasting(answered, "check the address");
        };
    }

    /** The length that an answer announces, -1 where it does not or makes no sense. */
    static long length(Exchanges.Reply reply) {
        String text = reply.header(HttpHeaderNames.CONTENT_LENGTH);
        return text != null && NUMBER.matcher(text).matches() ? Long.parseLong(text) : -1;
    }

    static HttpFault tooLarge(long max) {
        return HttpFault.lasting(
                "sends more than the %d bytes that are allowed".formatted(max), "raise the limit if it should");
    }

    static HttpFault tooLarge(long max, long announced) {
        return HttpFault.lasting(
                "has %d bytes, at most %d are allowed".formatted(announced, max), "raise the limit if it should");
    }
}

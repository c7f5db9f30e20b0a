package io.penstock.store.http.internal;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The code and the message that object stores send as XML with an error.
 *
 * @param code    such as {@code NoSuchBucket}; empty where the body has none
 * @param message for people; may be empty
 */
record ErrorBody(String code, String message) {

    private static final int MAX = 8 << 10;
    private static final Pattern CODE =
            Pattern.compile("<Error>.{0,2000}?<Code>\\s*(\\w{1,64})\\s*</Code>", Pattern.DOTALL);
    private static final Pattern MESSAGE = Pattern.compile("<Message>([^<]{1,500})</Message>");

    /** What to do about an error, by its code. */
    private static final Map<String, String> ADVICE = Map.of(
            "NoSuchBucket", "check the name of the bucket, the region and the endpoint",
            "AccessDenied", "check what the credentials allow",
            "InvalidAccessKeyId", "check the access key, and that it belongs to this endpoint",
            "SignatureDoesNotMatch", "check the secret key",
            "RequestTimeTooSkewed", "set this machine's clock",
            "AuthenticationFailed", "check the signature in the query of the address, and when it ends",
            "AuthorizationHeaderMalformed", "check the region",
            "PermanentRedirect", "the bucket is in another region: name it, or its endpoint",
            "InvalidObjectState", "the object is archived: restore it first");

    /** Reads the begin of a body, and discards the rest as {@link Exchanges#drained}. */
    static Mono<ErrorBody> read(Flux<ByteBuf> body) {
        StringBuilder text = new StringBuilder();
        return body.takeWhile(bytes -> {
                    append(text, bytes);
                    return text.length() < MAX;
                })
                .then()
                .onErrorComplete()
                .then(Mono.fromSupplier(() -> parse(text.toString())));
    }

    private static void append(StringBuilder text, ByteBuf bytes) {
        int length = Math.min(bytes.readableBytes(), MAX - text.length());
        text.append(bytes.toString(bytes.readerIndex(), length, StandardCharsets.UTF_8));
    }

    static ErrorBody parse(String text) {
        Matcher code = CODE.matcher(text);
        Matcher message = MESSAGE.matcher(text);
        return new ErrorBody(code.find() ? code.group(1) : "", message.find() ? Words.plain(message.group(1)) : "");
    }

    /** Whether only the key is missing, not the bucket. */
    boolean isOfKey() {
        return code.isEmpty()
                || code.equals("NoSuchKey")
                || code.equals("NoSuchVersion")
                || code.equals("BlobNotFound");
    }

    /** The fault of a reply with this body. */
    HttpFault fault(Exchanges.Reply reply) {
        if (code.isEmpty()) {
            return Statuses.fault(reply);
        }
        String region = reply.header("x-amz-bucket-region");
        String answered = "answered %d (%s%s)%s"
                .formatted(
                        reply.status(),
                        code,
                        message.isEmpty() ? "" : ": " + message,
                        region == null ? "" : ", the bucket is in region " + Words.plain(region));
        String advice = ADVICE.get(code);
        return switch (code) {
            case "ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired" ->
                HttpFault.expired(answered, "renew the credentials");
            case "RequestTimeout" -> HttpFault.passing(answered, "");
            case "SlowDown" -> HttpFault.busy(answered, Exchanges.retryAfter(reply), "lower inFlight");
            default -> Statuses.fault(reply).saying(answered, advice);
        };
    }
}

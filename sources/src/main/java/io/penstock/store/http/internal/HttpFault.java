package io.penstock.store.http.internal;

import io.netty.handler.timeout.ReadTimeoutException;
import io.penstock.fault.StoreException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;

/** The failure of one attempt, and whether a retry may succeed. It leaves this package as a StoreException. */
final class HttpFault extends RuntimeException {

    private static final long serialVersionUID = 1;

    private enum Kind {
        LASTING,
        PASSING,
        BUSY,
        EXPIRED
    }

    private final Kind kind;
    private final @Nullable Duration retryAfter;
    private final String advice;

    private HttpFault(
            String message, Kind kind, @Nullable Duration retryAfter, String advice, @Nullable Throwable cause) {
        super(message, cause, false, false);
        this.kind = kind;
        this.retryAfter = retryAfter;
        this.advice = advice;
    }

    /** One that may pass: the same request again may be answered. */
    static HttpFault passing(String message, String advice) {
        return new HttpFault(message, Kind.PASSING, null, advice, null);
    }

    /** One that passes not before the server says. */
    static HttpFault later(String message, @Nullable Duration retryAfter, String advice) {
        return new HttpFault(message, Kind.PASSING, retryAfter, advice, null);
    }

    /** One of a server that has too much to do. */
    static HttpFault busy(String message, @Nullable Duration retryAfter, String advice) {
        return new HttpFault(message, Kind.BUSY, retryAfter, advice, null);
    }

    /** Credentials that have ended: the same request with others may be answered. */
    static HttpFault expired(String message, String advice) {
        return new HttpFault(message, Kind.EXPIRED, null, advice, null);
    }

    /** One that stays. */
    static HttpFault lasting(String message, String advice) {
        return new HttpFault(message, Kind.LASTING, null, advice, null);
    }

    /** The same with another message, and other advice if there is some. */
    HttpFault saying(String message, @Nullable String otherAdvice) {
        return new HttpFault(message, kind, retryAfter, otherAdvice == null ? advice : otherAdvice, getCause());
    }

    /** The fault for a failure below HTTP. */
    static HttpFault of(Throwable thrown, HttpSettings options) {
        Throwable failure = Exceptions.unwrap(thrown);
        if (failure instanceof HttpFault known) {
            return known;
        }
        if (failure instanceof StoreException known) {
            return new HttpFault(String.valueOf(known.getMessage()), Kind.LASTING, null, "", known);
        }
        if (isOutOfFiles(failure)) {
            return new HttpFault(
                    "this process has as many files and connections open as it may",
                    Kind.PASSING,
                    null,
                    "raise the limit that ulimit -n shows, or close data sets that are not used any more",
                    failure);
        }
        if (failure instanceof ReadTimeoutException) {
            return io("stalled: no byte came for " + Words.of(options.firstByteTimeout), failure);
        }
        if (failure instanceof TimeoutException) {
            return io("took longer than " + Words.of(options.readTimeout), failure);
        }
        if (failure instanceof UnknownHostException) {
            return new HttpFault("host not found", Kind.PASSING, null, "check the address and the network", failure);
        }
        if (failure instanceof ConnectException) {
            return new HttpFault(
                    "could not connect: " + Words.of(failure),
                    Kind.PASSING,
                    null,
                    "check that the server runs",
                    failure);
        }
        if (failure instanceof SSLHandshakeException || failure.getCause() instanceof SSLHandshakeException) {
            return new HttpFault(
                    "TLS handshake failed: " + Words.of(failure),
                    Kind.LASTING,
                    null,
                    "check the certificate, or name it with trusting",
                    failure);
        }
        if (failure instanceof SSLException || failure instanceof IOException) {
            return io("connection broke: " + Words.of(failure), failure);
        }
        return new HttpFault("the answer makes no sense: " + Words.of(failure), Kind.LASTING, null, "", failure);
    }

    private static boolean isOutOfFiles(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (String.valueOf(each.getMessage()).contains("Too many open files")) {
                return true;
            }
        }
        return false;
    }

    private static HttpFault io(String message, Throwable failure) {
        return new HttpFault(message, Kind.PASSING, null, "check the server and the network", failure);
    }

    boolean isPassing() {
        return kind != Kind.LASTING;
    }

    boolean isBusy() {
        return kind == Kind.BUSY;
    }

    /** Whether other credentials are needed. */
    boolean isExpired() {
        return kind == Kind.EXPIRED;
    }

    @Nullable Duration retryAfter() {
        return retryAfter;
    }

    String reason() {
        return String.valueOf(getMessage());
    }

    /** Advice after a semicolon, or nothing. */
    String advice() {
        return advice.isEmpty() ? "" : "; " + advice;
    }
}

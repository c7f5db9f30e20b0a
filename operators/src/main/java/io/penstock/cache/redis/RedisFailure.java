package io.penstock.cache.redis;

import java.util.concurrent.CompletionException;

/** The reason of a failure, in words that do not show credentials. */
final class RedisFailure {

    private RedisFailure() {}

    static Throwable cause(Throwable e) {
        Throwable cause = e;
        while (cause.getCause() != null && (cause instanceof CompletionException || isConnecting(cause))) {
            cause = cause.getCause();
        }
        return cause;
    }

    private static boolean isConnecting(Throwable e) {
        return e instanceof io.lettuce.core.RedisConnectionException;
    }

    static String of(Throwable e) {
        Throwable cause = cause(e);
        return String.valueOf(cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage());
    }
}

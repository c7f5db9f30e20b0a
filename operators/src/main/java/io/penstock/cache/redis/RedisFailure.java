package io.penstock.cache.redis;

import java.util.concurrent.CompletionException;

/** What went wrong, in words that say nothing of who one is at a server. */
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

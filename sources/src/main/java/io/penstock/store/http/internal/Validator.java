package io.penstock.store.http.internal;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.penstock.cache.Fingerprint;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The state of the bytes of a reply, as its headers say it.
 *
 * @param etag         as sent, quotes and {@code W/} included
 * @param lastModified as sent
 * @param made         when the reply was made, as sent
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9110#section-8.8">RFC 9110, validator fields</a>
 */
record Validator(
        @Nullable String etag,
        @Nullable String lastModified,
        @Nullable String made) {

    private static final long TAG = 1;
    private static final Pattern COMPRESSED = Pattern.compile("(?:--?|;)(?:gzip|deflate|br)\"$");
    private static final Duration OLD = Duration.ofSeconds(60);

    static Validator of(HttpHeaders headers) {
        return new Validator(
                headers.get(HttpHeaderNames.ETAG),
                headers.get(HttpHeaderNames.LAST_MODIFIED),
                headers.get(HttpHeaderNames.DATE));
    }

    /** Whether the date tells two states apart: it had passed for a minute when the reply was made. */
    private boolean isOldEnough() {
        Instant changed = date(lastModified);
        Instant now = date(made);
        return changed != null && now != null && !changed.plus(OLD).isAfter(now);
    }

    static @Nullable Instant date(@Nullable String text) {
        if (text == null) {
            return null;
        }
        try {
            return ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME)
                    .toInstant();
        } catch (DateTimeParseException e) {
            return null;
        }
    }

    /** The value for {@code If-Range}; null if nothing shows for certain that the bytes are the same. */
    @Nullable String strong() {
        if (etag != null) {
            return etag.startsWith("\"") ? etag : null;
        }
        return isOldEnough() ? lastModified : null;
    }

    /**
     * As {@link io.penstock.store.StoreEntry#version}: 0 where the reply says nothing, else 62 bits and 01 below them.
     * An entity tag decides alone where there is one. What servers add to it for a compressed reply is left out, so
     * that both replies have one version.
     */
    long version() {
        if (etag != null) {
            return hash("etag", plain(etag));
        }
        return lastModified == null ? 0 : hash("last-modified", lastModified);
    }

    private static long hash(String kind, String value) {
        return Fingerprint.of(kind, value).high() & ~3L | TAG;
    }

    private static String plain(String etag) {
        String bare = etag.startsWith("W/") ? etag.substring(2) : etag;
        if (bare.indexOf('-') < 0 && bare.indexOf(';') < 0) {
            return bare; // most tags of lists, which may have millions
        }
        return COMPRESSED.matcher(bare).replaceFirst("\"");
    }
}

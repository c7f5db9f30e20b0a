package io.penstock.store.http.internal;

import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The values of {@link io.penstock.store.http.HttpOptions}, changed only in a copy that no other thread sees yet. */
public abstract class HttpSettings implements Cloneable {

    protected int connections = 512;
    protected int inFlight = 512;
    protected int redirects = 5;
    protected int attempts = 8;
    protected Duration connectTimeout = Duration.ofSeconds(10);
    protected Duration firstByteTimeout = Duration.ofSeconds(30);
    protected Duration readTimeout = Duration.ofMinutes(2);
    protected Duration retryFor = Duration.ofMinutes(2);
    protected Duration firstBackoff = Duration.ofMillis(100);
    protected Duration longestBackoff = Duration.ofSeconds(10);
    protected long maxObjectBytes = 256L << 20;
    protected boolean compressed;
    protected Map<String, String> headers = Map.of();

    protected @Nullable Mono<String> bearer;

    protected List<X509Certificate> trusted = List.of();

    @Override
    protected HttpSettings clone() {
        try {
            return (HttpSettings) super.clone();
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException(e);
        }
    }
}

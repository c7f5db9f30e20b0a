package io.penstock.store.http;

import java.net.URI;
import java.util.Map;
import reactor.core.publisher.Mono;

/** Signs the requests of an object store. Thread-safe; it never blocks the thread that subscribes. */
@FunctionalInterface
public interface RequestSigner {

    /** The headers that a request needs for its signature, computed anew at each subscription. */
    Mono<Map<String, String>> headers(String method, URI address);
}

package io.penstock.store.http.internal;

import java.net.URI;
import java.nio.ByteBuffer;
import java.util.Map;
import reactor.core.publisher.Mono;

/** Signs the requests of an object store. Thread-safe; it never blocks the thread that subscribes. */
public interface RequestSigner {

    /** The headers that a request needs for its signature, computed anew at each subscription. Leaves the body as it is. */
    Mono<Map<String, String>> headers(String method, URI address, ByteBuffer body);

    /**
     * Is told that the server refused a request because its credentials have ended. The request is sent again, and its
     * headers are asked for anew.
     * @param headers of the request that was refused
     */
    void refused(Map<String, String> headers);
}

package io.penstock.serve.client;

import io.penstock.fault.StoreException;
import io.penstock.internal.Arguments;
import io.penstock.internal.OptionalLibrary;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * The batches of {@code penstock serve}, from one server or from several that were started with the same flags.
 * <pre>{@code
 *  RemoteBatches.of(List.of(URI.create("http://10.0.0.1:8080/"), URI.create("http://10.0.0.2:8080/")))
 *          .resumeAt(saved)
 *          .stream()
 *          .doOnNext(remote -> { train(remote.batch()); save(remote.resume()); })
 *          .blockLast();
 * }</pre>
 *
 * <p>Any server can make any batch. Batch k of an epoch is asked of server k mod n, or of one that would have it much
 * sooner. A server gets one batch until its first answer. A batch that is late, by three times the usual, is asked of
 * another server too; the first answer counts, and the other request is cancelled. A server that is gone is asked again
 * every second, and gets its share back when it answers.
 *
 * <p>Immutable; every method returns a copy.
 */
public final class RemoteBatches {

    private static final Duration CONNECT = Duration.ofSeconds(3);

    private final List<URI> addresses;
    private final HttpClient client;
    private final @Nullable String secret;
    private final @Nullable String resume;
    private final @Nullable Integer rank;

    private RemoteBatches(
            List<URI> addresses,
            HttpClient client,
            @Nullable String secret,
            @Nullable String resume,
            @Nullable Integer rank) {
        this.addresses = addresses;
        this.client = client;
        this.secret = secret;
        this.resume = resume;
        this.rank = rank;
    }

    /**
     * The batches of servers, from their start.
     * @throws IllegalArgumentException if there is no address
     */
    public static RemoteBatches of(List<URI> addresses) {
        Arguments.refuse(addresses.isEmpty(), "addresses of servers must be one or more, were none");
        OptionalLibrary.ARROW.require(RemoteBatches.class);
        HttpClient client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(CONNECT)
                .build();
        return new RemoteBatches(List.copyOf(addresses), client, null, null, null);
    }

    /** Another client, such as one that trusts a certificate of your own. It must speak HTTP/1.1. */
    public RemoteBatches client(HttpClient other) {
        return new RemoteBatches(addresses, other, secret, resume, rank);
    }

    /**
     * The servers' bearer token.
     * @throws IllegalArgumentException if it would be sent to another machine without TLS
     */
    public RemoteBatches secret(String token) {
        for (URI address : addresses) {
            String host = String.valueOf(address.getHost());
            if (!"https".equals(address.getScheme()) && !host.equals("localhost") && !host.startsWith("127.")) {
                throw new IllegalArgumentException("a bearer token would go to %s in clear: use https".formatted(host));
            }
        }
        return new RemoteBatches(addresses, client, token, resume, rank);
    }

    /** Goes on behind a batch: {@link RemoteBatch#resume} of an earlier run, at any number of servers. */
    public RemoteBatches resumeAt(String token) {
        return new RemoteBatches(addresses, client, secret, token, rank);
    }

    /** Which rank to be, where the servers have ranks. */
    public RemoteBatches rank(int number) {
        return new RemoteBatches(addresses, client, secret, resume, number);
    }

    /**
     * All batches that are left, in order. Three for each server are requested ahead. Cancelling ends all requests, and
     * with them the servers' work.
     *
     * <p>Signals come from threads of the client. Errors: a {@link StoreException} if no server makes a batch in a
     * minute, all fail to make a batch, one refuses, or one has another plan; the message names the server and the
     * difference.
     */
    public Flux<RemoteBatch> stream() {
        return Flux.defer(() -> {
            List<RemoteServer> servers = addresses.stream()
                    .map(address -> new RemoteServer(client, address, secret))
                    .toList();
            return new RemoteRun(servers, resume, rank).stream();
        });
    }
}

package io.penstock.serve.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.fault.StoreException;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

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
 * sooner. A batch that is late, by three times the usual, is asked of another server too. A server that is gone is
 * asked again every second, and gets its share back when it answers.
 *
 * <p>Immutable; every method returns a copy.
 */
public final class RemoteBatches {

    private static final Duration CONNECT = Duration.ofSeconds(3);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration BLINK = Duration.ofMillis(20);
    private static final int AHEAD = 3;

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
        if (addresses.isEmpty()) {
            throw new IllegalArgumentException("addresses of servers must be one or more, were none");
        }
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
     * All batches that are left, in order. Three for each server are requested ahead.
     *
     * <p>Signals come from threads of the client. Errors: a {@link StoreException} if no server makes a batch in a minute,
     * all fail to make a batch, one refuses, or one has another plan; the message names the server and the difference.
     */
    public Flux<RemoteBatch> stream() {
        return Flux.defer(() -> {
            Run run = new Run();
            return run.begin().thenMany(Flux.defer(run::batches));
        });
    }

    private record Plan(JsonNode about, RemoteServer first) {}

    /** One subscription. */
    private final class Run {
        private final List<RemoteServer> servers = addresses.stream()
                .map(address -> new RemoteServer(client, address, secret))
                .toList();
        private final ServerChoice choice = new ServerChoice(servers);
        private final AtomicReference<@Nullable Plan> plan = new AtomicReference<>();
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

        /** Completes when a server has said its plan. */
        Mono<Void> begin() {
            long began = System.nanoTime();
            return Mono.defer(() -> {
                        RemoteServer server = choice.due();
                        while (server != null) {
                            check(server);
                            server = choice.due();
                        }
                        requireSound();
                        boolean early = System.nanoTime() - began < ServerChoice.FIRST_PAUSE.toNanos();
                        boolean waits = plan.get() == null || early && !choice.areAllChecked();
                        return waits ? Mono.delay(BLINK).then(Mono.<Boolean>empty()) : Mono.just(true);
                    })
                    .repeatWhenEmpty(waits -> waits)
                    .timeout(PATIENCE, Mono.error(this::noAnswer))
                    .then();
        }

        private void requireSound() {
            Throwable cause = failure.get();
            if (cause != null) {
                throw new StoreException(String.valueOf(cause.getMessage()), cause);
            }
        }

        Flux<RemoteBatch> batches() {
            Plan known = plan.get();
            if (known == null) {
                return Flux.empty();
            }
            long count = known.about.path("count").asLong();
            int ahead = AHEAD * servers.size();
            return Flux.<Long, Long>generate(() -> 0L, (number, sink) -> {
                        if (number < count) {
                            sink.next(number);
                        } else {
                            sink.complete();
                        }
                        return number + 1;
                    })
                    .flatMapSequential(number -> batch(known.about, number), ahead, 1);
        }

        private Mono<RemoteBatch> batch(JsonNode about, long number) {
            long left = about.path("left").asLong();
            long epoch = about.path("epoch").asLong();
            long turn = number < left ? epoch - left + number : (number - left) % epoch;
            Map<String, String> query = query(about.path("resume").asText());
            query.put("batch", Long.toString(number));
            query.put("plan", about.path("fingerprint").asText());
            Set<RemoteServer> failed = ConcurrentHashMap.newKeySet();
            return Mono.defer(() -> ask(turn, query, new HashSet<>(failed), failed, choice.late()))
                    .repeatWhenEmpty(waits -> waits.delayElements(BLINK)) // no server is there now
                    .timeout(PATIENCE, Mono.error(this::noAnswer));
        }

        /** The batch from one server, or from another if that one is late or gone; empty if none is left to ask. */
        private Mono<RemoteBatch> ask(
                long turn,
                Map<String, String> query,
                Set<RemoteServer> tried,
                Set<RemoteServer> failed,
                Duration late) {
            requireSound();
            lookAfterOthers(query);
            RemoteServer server = choice.take(turn, tried);
            if (server == null) {
                return Mono.empty();
            }
            Set<RemoteServer> asked = new HashSet<>(tried);
            asked.add(server);
            Mono<RemoteBatch> next = Mono.defer(() -> ask(turn, query, asked, failed, late.multipliedBy(2)));
            return Mono.firstWithValue(
                            timed(server, query, failed).switchIfEmpty(next),
                            Mono.delay(late).then(next))
                    .onErrorResume(NoSuchElementException.class, none -> Mono.empty());
        }

        /** Empty if the server is gone, or cannot make the batch. */
        private Mono<RemoteBatch> timed(RemoteServer server, Map<String, String> query, Set<RemoteServer> failed) {
            long began = System.nanoTime();
            return server.batch(query)
                    .doOnSuccess(batch -> choice.took(server, System.nanoTime() - began))
                    .doOnCancel(() -> choice.lost(server, System.nanoTime() - began))
                    .doFinally(end -> choice.ended(server))
                    .onErrorResume(cause -> {
                        failed(server, cause, failed);
                        return Mono.empty();
                    });
        }

        private void failed(RemoteServer server, Throwable cause, Set<RemoteServer> failed) {
            int status = cause instanceof RemoteServer.Refused refused ? refused.status : 503;
            if (status == 500) {
                failed.add(server);
            } else {
                choice.left(server);
            }
            if (status == 500 ? failed.size() == servers.size() : status != 503 && status != 409) {
                stop(cause); // 409: it was started anew, and says what differs when it is asked for its plan
            }
        }

        private void lookAfterOthers(Map<String, String> query) {
            RemoteServer server = choice.due();
            if (server == null) {
                return;
            }
            if (!server.checked) {
                check(server);
                return;
            }
            long began = System.nanoTime();
            server.batch(query)
                    .timeout(PATIENCE)
                    .doFinally(end -> choice.measured(server))
                    .subscribe(batch -> choice.took(server, System.nanoTime() - began), e -> choice.left(server));
        }

        private void check(RemoteServer server) {
            server.plan(query(resume)).subscribe(about -> compare(server, about), cause -> {
                choice.left(server);
                if (cause instanceof RemoteServer.Refused) {
                    stop(cause);
                }
            });
        }

        private void compare(RemoteServer server, JsonNode about) {
            plan.compareAndSet(null, new Plan(about, server));
            Plan known = Objects.requireNonNull(plan.get());
            JsonNode here = known.about.path("plan");
            JsonNode there = about.path("plan");
            if (!about.path("fingerprint").equals(known.about.path("fingerprint"))) {
                Set<String> names = new TreeSet<>();
                here.fieldNames().forEachRemaining(names::add);
                there.fieldNames().forEachRemaining(names::add);
                stop(new StoreException(names.stream()
                        .filter(name -> !here.path(name).equals(there.path(name)))
                        .map(name -> "%s %s there, %s here"
                                .formatted(
                                        name,
                                        there.path(name).asText(),
                                        here.path(name).asText()))
                        .collect(Collectors.joining(
                                "; ", "%s has another plan than %s: ".formatted(server, known.first), ""))));
                return;
            }
            choice.checked(server);
        }

        private void stop(Throwable cause) {
            failure.compareAndSet(null, cause);
        }

        private Map<String, String> query(@Nullable String token) {
            Map<String, String> query = new HashMap<>();
            if (token != null) {
                query.put("resume", token);
            }
            if (rank != null) {
                query.put("rank", rank.toString());
            }
            return query;
        }

        private StoreException noAnswer() {
            return new StoreException("no batch from any of %s for %d s".formatted(addresses, PATIENCE.toSeconds()));
        }
    }
}

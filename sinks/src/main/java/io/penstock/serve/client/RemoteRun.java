package io.penstock.serve.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.fault.StoreException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** One subscription to the batches of servers. */
final class RemoteRun {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration BLINK = Duration.ofMillis(20);
    private static final int AHEAD = 3;

    private final List<RemoteServer> servers;
    private final ServerChoice choice;
    private final @Nullable String resume;
    private final @Nullable Integer rank;
    private final AtomicReference<@Nullable Plan> plan = new AtomicReference<>();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final Sinks.Empty<Void> over = Sinks.empty();
    private volatile boolean cancelled;

    RemoteRun(List<RemoteServer> servers, @Nullable String resume, @Nullable Integer rank) {
        this.servers = servers;
        this.choice = new ServerChoice(servers);
        this.resume = resume;
        this.rank = rank;
    }

    private record Plan(JsonNode about, RemoteServer first) {}

    Flux<RemoteBatch> stream() {
        return begin().thenMany(Flux.defer(this::batches))
                .doOnCancel(() -> cancelled = true)
                .doFinally(end -> over.tryEmitEmpty());
    }

    /** Completes when a server has said its plan. */
    private Mono<Void> begin() {
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

    private Flux<RemoteBatch> batches() {
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
                .flatMapSequential(number -> new Wanted(known.about, number).take(), ahead, 1);
    }

    /** A batch that the consumer will take. */
    private final class Wanted {
        private final long turn;
        private final Map<String, String> query;
        private final Set<RemoteServer> asked = ConcurrentHashMap.newKeySet(); // and have not answered
        private final Set<RemoteServer> failed = ConcurrentHashMap.newKeySet(); // cannot make it
        private long since; // System.nanoTime() when a server was asked last; used by one thread at a time

        Wanted(JsonNode about, long number) {
            long left = about.path("left").asLong();
            long epoch = about.path("epoch").asLong();
            turn = number < left ? epoch - left + number : (number - left) % epoch;
            query = query(about.path("resume").asText());
            query.put("batch", Long.toString(number));
            query.put("plan", about.path("fingerprint").asText());
        }

        /** The first answer; the requests to other servers are cancelled. */
        Mono<RemoteBatch> take() {
            return Flux.interval(BLINK)
                    .startWith(0L)
                    .flatMap(time -> askIfLate(), Integer.MAX_VALUE, 1) // each server once
                    .next()
                    .timeout(PATIENCE, Mono.error(RemoteRun.this::noAnswer));
        }

        /** Empty if it is too early to ask another server, or none is there now. */
        private Mono<RemoteBatch> askIfLate() {
            requireSound();
            lookAfterOthers(query);
            int waits = asked.size();
            if (waits > 0 && System.nanoTime() - since < choice.late(waits).toNanos()) {
                return Mono.empty();
            }
            Set<RemoteServer> tried = new HashSet<>(asked);
            tried.addAll(failed);
            RemoteServer server = choice.take(turn, tried);
            if (server == null) {
                return Mono.empty();
            }
            if (cancelled) { // requests are cancelled one by one, and each makes its server free for another
                choice.ended(server);
                return Mono.empty();
            }
            asked.add(server);
            since = System.nanoTime();
            return ask(server, since);
        }

        /** Empty if the server is gone, or cannot make the batch. */
        private Mono<RemoteBatch> ask(RemoteServer server, long began) {
            return server.batch(query)
                    .doOnSuccess(batch -> {
                        asked.remove(server);
                        choice.took(server, System.nanoTime() - began);
                    })
                    .doOnCancel(() -> {
                        if (asked.remove(server)) { // else it was the first, and nothing is left to cancel
                            choice.lost(server, System.nanoTime() - began);
                        }
                    })
                    .doFinally(end -> choice.ended(server))
                    .onErrorResume(cause -> {
                        failed(server, cause);
                        asked.remove(server);
                        return Mono.empty();
                    });
        }

        private void failed(RemoteServer server, Throwable cause) {
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
    }

    /** Asks a server for its plan, or measures one with a batch that another makes too, if it is time. */
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
                .takeUntilOther(over.asMono())
                .doFinally(end -> choice.measured(server))
                .subscribe(batch -> choice.took(server, System.nanoTime() - began), e -> choice.left(server));
    }

    private void check(RemoteServer server) {
        server.plan(query(resume)).takeUntilOther(over.asMono()).subscribe(about -> compare(server, about), cause -> {
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
        return new StoreException("no batch from any of %s for %d s".formatted(servers, PATIENCE.toSeconds()));
    }
}

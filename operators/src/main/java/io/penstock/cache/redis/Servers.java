package io.penstock.cache.redis;

import io.penstock.cache.SampleKey;
import io.penstock.cache.internal.Rendezvous;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The servers of a tier, which may change; {@link Rendezvous} spreads the keys over them. A server keeps its share
 * under a new address if it keeps its name.
 */
final class Servers {

    private final BiFunction<String, Address, Server> make;
    private final Object lock = new Object();
    private volatile List<Server> all = List.of();
    private volatile boolean changed;
    private boolean closed;

    Servers(BiFunction<String, Address, Server> make) {
        this.make = make;
    }

    List<Server> all() {
        return all;
    }

    /** The server that a key belongs to; there is one at least. */
    Server of(SampleKey key) {
        List<Server> servers = all;
        return servers.get(place(servers, key, Rendezvous.NONE));
    }

    /** The server that most likely had a key before servers came or went; null if none did. */
    @Nullable Server before(SampleKey key) {
        List<Server> servers = all;
        return changed && servers.size() > 1
                ? servers.get(place(servers, key, place(servers, key, Rendezvous.NONE)))
                : null;
    }

    private static int place(List<Server> servers, SampleKey key, int except) {
        return Rendezvous.owner(key, servers.size(), place -> servers.get(place).number(), except);
    }

    /**
     * Makes these the servers, by name. The new ones take their share at once. Completes when they are connected, or
     * when that takes longer than the given time, and when those that are gone are closed.
     */
    Mono<Void> become(Map<String, Address> wanted, Duration atMost) {
        List<Server> gone;
        List<Server> fresh = new ArrayList<>();
        synchronized (lock) {
            if (closed) {
                return Mono.empty();
            }
            gone = new ArrayList<>(all);
            List<Server> next = new ArrayList<>();
            wanted.forEach((name, address) -> {
                Server server = gone.stream()
                        .filter(known -> known.is(name, address))
                        .findFirst()
                        .orElse(null);
                if (server == null) {
                    server = make.apply(name, address);
                    fresh.add(server);
                }
                gone.remove(server);
                next.add(server);
            });
            changed |= !all.isEmpty() && !names(all).equals(names(next));
            all = List.copyOf(next);
        }
        return Flux.fromIterable(fresh)
                .flatMap(server -> server.open(atMost), Math.max(1, fresh.size()))
                .mergeWith(Flux.fromIterable(gone).flatMap(server -> server.close(atMost)))
                .then();
    }

    private static Set<Long> names(List<Server> servers) {
        return servers.stream().map(Server::number).collect(Collectors.toSet());
    }

    Mono<Void> close(Duration atMost) {
        synchronized (lock) {
            closed = true;
        }
        return Flux.fromIterable(all)
                .flatMap(server -> server.close(atMost), Math.max(1, all.size()))
                .then();
    }
}

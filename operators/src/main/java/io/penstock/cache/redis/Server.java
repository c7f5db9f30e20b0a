package io.penstock.cache.redis;

import io.penstock.cache.SampleKey;
import io.penstock.cache.internal.Rendezvous;
import io.penstock.fault.StoreException;
import io.penstock.internal.GuardedScheduler;
import io.penstock.internal.Told;
import java.nio.ByteBuffer;
import java.time.Duration;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The part of a tier that lies in one address: a server, or a cluster. */
final class Server {

    private final String name;
    private final Address address;
    private final long number;
    private final Endpoint endpoint;
    private final KeySpace keys;
    private final Commands commands;
    private final Counts counts;
    private final Reads reads;
    final Usage usage;
    final Writes writes;
    final ServerLeases leases;

    /** @param name the same in all processes, and different from that of any other server of the tier */
    Server(String name, Address address, Settings settings, KeySpace keys, Counts counts, ClientThreads threads) {
        this.commands = new Commands();
        this.name = name;
        this.address = address;
        this.number = Rendezvous.number(name);
        this.keys = keys;
        this.counts = counts;
        this.endpoint = new Endpoint(address, settings, commands, threads, this::refreshUsage);
        this.usage = new Usage(endpoint, keys, commands);
        this.writes = new Writes(endpoint, keys, commands, counts, usage, settings.pendingBytes());
        this.reads = new Reads(endpoint, keys, commands, counts, writes);
        this.leases = new ServerLeases(endpoint, keys, commands, writes, settings.leaseTime());
    }

    /** What tells it from others, the same in all processes. */
    long number() {
        return number;
    }

    boolean is(String otherName, Address otherAddress) {
        return name.equals(otherName) && address.equals(otherAddress);
    }

    Mono<Void> open(Duration atMost) {
        return endpoint.open(atMost);
    }

    /** Asks for newer numbers; those that are known are there at once. */
    void refreshUsage() {
        usage.refresh();
    }

    Mono<ByteBuffer> get(SampleKey key) {
        ByteBuffer waiting = writes.find(key);
        if (waiting != null) {
            counts.hits.increment();
            return Mono.just(waiting);
        }
        if (!isUp(key)) {
            counts.misses.increment();
            return Mono.empty();
        }
        return reads.get(key);
    }

    Mono<Boolean> contains(SampleKey key) {
        return Mono.defer(() -> {
            if (writes.find(key) != null) {
                return Mono.just(true);
            }
            byte[] name = keys.sample(key);
            return Mono.fromCompletionStage(() -> endpoint.send(name, commands.get(name)))
                    .publishOn(GuardedScheduler.PARALLEL)
                    .map(frame -> reads.open(key, name, frame.body()) != null)
                    .defaultIfEmpty(false)
                    .onErrorReturn(Endpoint::isOtherType, false)
                    .onErrorMap(e -> new StoreException(
                            "cannot look into the redis cache at %s: %s".formatted(endpoint, Endpoint.reason(e)), e));
        });
    }

    /** Whether the server itself has a value, once a put of it that is under way is answered; never fails. */
    Mono<Boolean> kept(SampleKey key) {
        return Told.<Boolean>mono(told -> writes.afterPut(key, () -> told.tell(true, null)))
                .then(contains(key))
                .onErrorReturn(false);
    }

    boolean accepts(SampleKey key) {
        return isUp(key) && !writes.isFull();
    }

    private boolean isUp(SampleKey key) {
        Connection connection = endpoint.connection();
        return connection != null && (connection.isCluster() ? endpoint.isUp(keys.sample(key)) : endpoint.isUp());
    }

    Flux<SampleKey> keys() {
        return Flux.defer(() -> {
            Connection connection = endpoint.connection();
            if (connection == null) {
                return Flux.error(new StoreException(
                        "cannot list the redis cache at %s: it is out of reach".formatted(endpoint)));
            }
            Flux<SampleKey> there = connection.scan(keys.pattern()).<SampleKey>handle((name, sink) -> {
                SampleKey key = keys.parse(name);
                if (key != null) {
                    sink.next(key);
                }
            });
            return Flux.fromIterable(writes.keys()).concatWith(there);
        });
    }

    /** Sends what waits, gives leases back, and closes the connection. */
    Mono<Void> close(Duration atMost) {
        return writes.flushed()
                .then(leases.close())
                .timeout(atMost)
                .onErrorComplete()
                .then(Mono.defer(() -> endpoint.close(atMost)));
    }

    @Override
    public String toString() {
        return endpoint.toString();
    }
}

package io.penstock.cache.redis;

import io.penstock.cache.Entry;
import io.penstock.cache.Lease;
import io.penstock.cache.ListedTier;
import io.penstock.cache.Put;
import io.penstock.cache.SampleKey;
import io.penstock.cache.SharedTier;
import io.penstock.cache.TierStatistics;
import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A cache in Redis or Valkey that all machines of a job share, as the slowest of its tiers: a server, several with a
 * share of the keys each, a cluster, or one server a node that the tier starts itself.
 * <pre>{@code
 *  RedisOptions redis = RedisTier.at("rediss://cache.example:6380?name=imagenet").credentialsFromEnvironment();
 *  try (Cache cache = Cache.of(RamTier.ofBytes(8L << 30), redis.open())) {
 *      dataset.cache(cache, schema).stream(...)
 *  }
 * }</pre>
 * Needs {@code io.lettuce:lettuce-core} on the class path.
 *
 * <p>Fill and hold: a full server refuses, and keeps what it has, as long as its own policy is {@code noeviction}. Keys
 * are the data set's name and the 128-bit fingerprint of the sample, its stages and its codec. What comes from a server
 * is believed once its length, its key and a checksum agree; anything else is a miss.
 *
 * <p>A sample that several processes request at once is loaded by one of them: see {@link #lease}. The right to load is
 * free again when its owner says nothing for {@link RedisOptions#leaseTime}.
 *
 * <p>No server, a slow one, one that restarts: what is asked of it misses at once, one warning says so, and it is
 * looked for until it answers again. No call fails because of a server.
 *
 * <p>Threads: all methods from any number of them; none but {@link RedisOptions#open} and {@link #close} blocks. Values
 * come on {@code Schedulers.parallel()}, in arrays of their own. {@link #put} keeps what it is given until it is sent,
 * and completes when the value can be got here; while more than {@link RedisOptions#pendingBytes} are on their way,
 * later, when the server has it. Look-ups and puts that come together travel together, and a look-up waits for more
 * while four times as many are under way, a round trip at most.
 */
public final class RedisTier implements SharedTier, ListedTier {

    private static final String NAME = "redis";

    private final Servers servers;
    private final Settings settings;
    private final Counts counts;
    private final Runnable afterwards;
    private final AtomicBoolean closed = new AtomicBoolean();

    RedisTier(Servers servers, Settings settings, Counts counts, Runnable afterwards) {
        this.servers = servers;
        this.settings = settings;
        this.counts = counts;
        this.afterwards = afterwards;
    }

    /**
     * A cache on servers that run already: {@code redis://host:6379?name=imagenet}; see {@link RedisOptions} for all
     * that can be said.
     * @throws IllegalArgumentException if the text says nothing of the kind
     */
    public static RedisOptions at(String uri) {
        return RedisOptions.parse(uri);
    }

    /** A cache in a server that all processes of this node share, started by the first of them. */
    public static RedisOptions in(NodeServer server) {
        return RedisOptions.of(server);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Mono<ByteBuffer> get(SampleKey key) {
        if (closed.get()) {
            counts.misses.increment();
            return Mono.empty();
        }
        Server owner = servers.of(key);
        Server before = servers.before(key);
        return before == null ? owner.get(key) : owner.get(key).switchIfEmpty(moved(key, before, owner));
    }

    /** A value that is where its key belonged before servers came or went; it is moved to where the key belongs now. */
    private Mono<ByteBuffer> moved(SampleKey key, Server before, Server owner) {
        return Mono.defer(() -> {
            counts.misses.decrement(); // one look-up, one count
            return before.get(key)
                    .doOnNext(value -> owner.writes
                            .put(key, value.duplicate())
                            .then(owner.kept(key))
                            .subscribe(kept -> {
                                if (kept) {
                                    before.writes.remove(key);
                                }
                            }));
        });
    }

    @Override
    public boolean getAll(SampleKey[] keys, @Nullable ByteBuffer[] found) {
        return false;
    }

    @Override
    public Eviction eviction() {
        return Eviction.NONE;
    }

    @Override
    public Mono<Put> put(SampleKey key, Encoded value, Entry about) {
        return Mono.defer(() -> {
            if (value.length() > settings.maxValueBytes()) {
                counts.tooLarge(value.length(), settings.maxValueBytes());
                return Mono.just(Put.REFUSED);
            }
            if (closed.get()) {
                counts.refused.increment();
                return Mono.just(Put.REFUSED);
            }
            return servers.of(key).writes.put(key, value.joined()).map(Put::of);
        });
    }

    /** {@code false} while the server of the key is out of reach or full. */
    @Override
    public boolean accepts(SampleKey key, Entry about) {
        return accepts(key);
    }

    private boolean accepts(SampleKey key) {
        return !closed.get() && servers.of(key).accepts(key);
    }

    /** The right among all who share the server; {@link Lease#NONE} while it takes nothing. */
    @Override
    public Mono<Lease> lease(SampleKey key) {
        return accepts(key) ? servers.of(key).leases.lease(key) : Lease.NONE;
    }

    @Override
    public void remove(SampleKey key) {
        if (!closed.get()) {
            servers.of(key).writes.remove(key);
            Server before = servers.before(key);
            if (before != null) {
                before.writes.remove(key);
            }
        }
    }

    /** The keys under this tier's name, as the servers list them; fails if one is out of reach. */
    @Override
    public Flux<SampleKey> keys() {
        return Flux.fromIterable(servers.all()).concatMap(Server::keys);
    }

    /**
     * Whether {@link #get} would find a value. It reads the value and checks it, but counts neither a hit nor a miss.
     * Fails with {@code StoreException} if the server cannot be asked.
     */
    public Mono<Boolean> contains(SampleKey key) {
        return servers.of(key).contains(key);
    }

    /** Completes when the servers have, or have refused, everything put before. */
    public Mono<Void> flush() {
        return Flux.fromIterable(servers.all())
                .flatMap(server -> server.writes.flushed())
                .then();
    }

    /**
     * Samples and bytes are those under this tier's name, of all processes, as of about a second ago. The capacity is
     * all that the servers may hold of anything, and {@code evicted} all that they gave up.
     */
    @Override
    public TierStatistics statistics() {
        boolean gone = closed.get();
        servers.all().forEach(Server::refreshUsage);
        return new TierStatistics(
                gone ? 0 : sum(server -> server.writes.samples()),
                gone ? 0 : sum(server -> server.writes.bytes()),
                sum(server -> server.usage.capacity()),
                counts.hits.sum(),
                counts.misses.sum(),
                counts.refused.sum(),
                sum(server -> server.usage.evicted()),
                counts.errors.sum());
    }

    private long sum(ToLongFunction<Server> number) {
        long sum = 0;
        for (Server server : servers.all()) {
            long more = number.applyAsLong(server);
            sum = sum + more < 0 ? Long.MAX_VALUE : sum + more;
        }
        return sum;
    }

    /**
     * Waits a moment until the servers have what was put, and closes the connections; a server of this node's own ends.
     * With the servers of all nodes it then waits, up to 60 s, for the nodes that still run.
     */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            servers.close(settings.timeout()).toFuture().join();
            afterwards.run();
        }
    }

    @Override
    public String toString() {
        return servers.all().stream().map(Server::toString).collect(Collectors.joining(", "));
    }
}

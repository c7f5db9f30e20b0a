package io.penstock.cache.redis.internal;

import io.penstock.fault.DataException;
import io.penstock.internal.Notice;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.scheduler.Schedulers;

/**
 * This node's part in the cache of a job's nodes. It keeps a server of this node running, says every second on the
 * {@link Roster} where it is, and follows the other members.
 *
 * <p>A member that is missing from the roster stays one for a while: its keys are misses until it is back, and no other
 * key moves. Only after that time its share goes to the others. While the roster cannot be read, nothing changes.
 */
public final class Membership implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Membership.class);
    private static final Duration BEAT = Duration.ofSeconds(1);
    private static final long SOON = TimeUnit.MILLISECONDS.toNanos(100);

    private final Supplier<SpawnedServer> server;
    private final String name;
    private final String host;
    private final Roster roster;
    private final Duration patience;
    private final ReentrantLock turn = new ReentrantLock();
    private final SortedMap<String, Member> members = new TreeMap<>();
    private final Map<String, Long> missing = new HashMap<>();
    private final Disposable.Swap beating = Disposables.swap();
    private SpawnedServer own;
    private boolean told;
    private boolean closed;

    /**
     * Finds or starts this node's server. Blocks.
     *
     * @param server   finds or starts it
     * @param name     of this node
     * @param host     where other nodes find it
     * @param patience how long a member that is missing stays one
     */
    Membership(Supplier<SpawnedServer> server, String name, String host, Roster roster, Duration patience) {
        this.server = server;
        this.name = name;
        this.host = host;
        this.roster = roster;
        this.patience = patience;
        this.own = server.get();
    }

    /** Waits until this number of nodes is there, but no longer than the given time. Blocks. */
    void await(int nodes, Duration atMost) {
        long deadline = System.nanoTime() + atMost.toNanos();
        List<Member> there = renew();
        while (there.size() < nodes && System.nanoTime() < deadline) {
            LockSupport.parkNanos(SOON);
            there = renew();
        }
        if (there.size() < nodes) {
            Notice.warn(
                    LOG,
                    "only {} of {} nodes have met at {} after {} s; the run begins, and others get their share of the"
                            + " redis cache when they come",
                    there.size(),
                    nodes,
                    roster,
                    atMost.toSeconds());
        }
    }

    /** Of all servers. */
    public Secret password() {
        return own.password();
    }

    /** Those that are known; this node is one of them. */
    public List<Member> members() {
        turn.lock();
        try {
            return List.copyOf(members.values());
        } finally {
            turn.unlock();
        }
    }

    /** Tells every second who they are. */
    public void follow(Consumer<List<Member>> listener) {
        beating.replace(Schedulers.boundedElastic()
                .schedulePeriodically(() -> listener.accept(renew()), 0, BEAT.toMillis(), TimeUnit.MILLISECONDS));
    }

    /** Says where this node's server is, starts it again if it is gone, and returns all members. */
    private List<Member> renew() {
        turn.lock();
        try {
            if (!closed) {
                if (!own.server().process().isAlive()) {
                    own.leave();
                    own = server.get();
                }
                Member self = new Member(name, host, own.port());
                members.put(name, self);
                note(self, roster.renew(self), System.nanoTime());
                told = false;
            }
        } catch (IOException | DataException e) {
            if (!told) {
                told = true;
                Notice.warn(
                        LOG,
                        "this node is not on the list of nodes at {}, and tries again every second; the redis cache"
                                + " stays with the nodes that are known: {}",
                        roster,
                        e.toString());
            }
        } finally {
            turn.unlock();
        }
        return members();
    }

    private void note(Member self, Collection<Member> there, long now) {
        Map<String, Member> present = new HashMap<>();
        for (Member member : there) { // a server that was replaced is listed twice for a moment
            present.merge(member.name(), member, (one, other) -> one.equals(members.get(one.name())) ? one : other);
        }
        present.put(name, self);
        members.putAll(present);
        missing.keySet().removeAll(present.keySet());
        for (String known : members.keySet()) {
            if (!present.containsKey(known)) {
                missing.putIfAbsent(known, now);
            }
        }
        missing.entrySet().removeIf(gone -> {
            boolean late = now - gone.getValue() >= patience.toNanos();
            if (late) {
                Notice.warn(
                        LOG,
                        "the node at {} has not been there for {} s; its share of the redis cache goes to the others",
                        members.remove(gone.getKey()),
                        patience.toSeconds());
            }
            return late;
        });
    }

    /** Leaves; the node's server ends with its last process. */
    @Override
    public void close() {
        beating.dispose();
        turn.lock();
        try {
            if (!closed) {
                closed = true;
                roster.close();
                own.leave();
            }
        } finally {
            turn.unlock();
        }
    }
}

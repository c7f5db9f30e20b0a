package io.penstock.cache.redis.internal;

import io.penstock.fault.DataException;
import io.penstock.fault.StoreException;
import io.penstock.internal.FileErrors;
import io.penstock.internal.GuardedScheduler;
import io.penstock.internal.Notice;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;

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
    private static final int MAX_FAILURES = 10;
    private static final long SOON = TimeUnit.MILLISECONDS.toNanos(100);

    private final Supplier<SpawnedServer> server;
    private final String name;
    private final String host;
    private final Roster roster;
    private final Duration patience;
    private final Duration stay;
    private final ReentrantLock turn = new ReentrantLock();
    private final SortedMap<String, Member> members = new TreeMap<>();
    private final Map<String, Long> missing = new HashMap<>();
    private final Disposable.Swap beating = Disposables.swap();
    private SpawnedServer own;
    private boolean met;
    private boolean told;
    private boolean ended;
    private boolean closed;
    private int failures; // of the roster, in a row
    private @Nullable IOException refused;

    /**
     * Finds or starts this node's server. Blocks.
     *
     * @param server   finds or starts it
     * @param name     of this node
     * @param host     where other nodes find it
     * @param patience how long a member that is missing stays one
     * @param stay     how long at most the node's server stays for others that still run
     */
    Membership(
            Supplier<SpawnedServer> server, String name, String host, Roster roster, Duration patience, Duration stay) {
        this.server = server;
        this.name = name;
        this.host = host;
        this.roster = roster;
        this.patience = patience;
        this.stay = stay;
        this.own = server.get();
    }

    /**
     * Waits until this number of nodes is there, but no longer than the given time. Blocks.
     * @throws StoreException if the place has another password
     */
    void await(int nodes, Duration atMost) {
        long deadline = System.nanoTime() + atMost.toNanos();
        List<Member> there = renew();
        while (there.size() < nodes && System.nanoTime() < deadline) {
            if (refused != null) {
                throw new StoreException("this node cannot meet the others: " + refused.getMessage(), refused);
            }
            LockSupport.parkNanos(SOON);
            there = renew();
        }
        met = true;
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
        beating.replace(GuardedScheduler.ELASTIC.schedulePeriodically(
                () -> listener.accept(renew()), 0, BEAT.toMillis(), TimeUnit.MILLISECONDS));
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
                Member self = new Member(name, host, own.port(), ended);
                members.put(name, self);
                note(self, roster.renew(self), System.nanoTime());
                told = false;
                failures = 0;
            }
        } catch (IOException | DataException e) {
            failures++;
            refused = e instanceof PlainClient.RefusedException known ? known : null;
            tell(e);
        } finally {
            turn.unlock();
        }
        return members();
    }

    /** Once for each time that the list is out of reach, and not while this node waits for the others to come or end. */
    private void tell(Exception failure) {
        if (told || ended || !met) {
            return;
        }
        told = true;
        String reason = failure instanceof IOException io ? FileErrors.reason(io) : failure.getMessage();
        boolean placeHasEnded = members.values().stream()
                .anyMatch(member -> member.ended() && member.toString().equals(roster.toString()));
        if (placeHasEnded) {
            LOG.info("the node at {} has ended its run; the redis cache stays with the nodes that are known", roster);
        } else {
            Notice.warn(
                    LOG,
                    "the list of nodes at {} is out of reach, and is asked for every second; the redis cache stays with"
                            + " the nodes that are known: {}",
                    roster,
                    reason);
        }
    }

    private void note(Member self, Collection<Member> there, long now) {
        Map<String, Member> present = new HashMap<>();
        for (Member member : there) { // a server that was replaced is listed twice for a moment
            present.merge(member.name(), member, this::ofTwo);
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
            Member lost = Objects.requireNonNull(members.get(gone.getKey()));
            if (lost.ended()) {
                members.remove(gone.getKey());
                LOG.info("the node at {} has ended its run; its share of the redis cache goes to the others", lost);
                return true;
            }
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

    /** Of two that are listed for a node the one that runs, then the one that is known. */
    private Member ofTwo(Member one, Member other) {
        if (one.ended() != other.ended()) {
            return one.ended() ? other : one;
        }
        return one.equals(members.get(one.name())) ? one : other;
    }

    /** Says that this node's run has ended, and waits until that of the last node has, if the list is in reach. Blocks. */
    private void awaitOthers() {
        long deadline = System.nanoTime() + stay.toNanos();
        long running = running();
        if (running > 0 && System.nanoTime() < deadline) {
            LOG.info(
                    "this node's run has ended; its share of the redis cache stays while others run, {} of them now, {} s at"
                            + " most",
                    running,
                    stay.toSeconds());
        }
        while (running > 0 && System.nanoTime() < deadline && !isInterrupted()) {
            LockSupport.parkNanos(SOON);
            running = running();
        }
    }

    /** How many of the others run, as far as is known; none if the list is out of reach. */
    private long running() {
        turn.lock();
        try {
            ended = true;
            return renew().stream()
                    .filter(member -> !member.name().equals(name) && !member.ended())
                    .filter(member -> failures < MAX_FAILURES && !missing.containsKey(member.name()))
                    .count();
        } finally {
            turn.unlock();
        }
    }

    /** Whether the thread or the whole process, such as by Ctrl-C, is to end at once. */
    private static boolean isInterrupted() {
        try {
            Thread probe = new Thread(() -> {});
            Runtime.getRuntime().addShutdownHook(probe);
            Runtime.getRuntime().removeShutdownHook(probe);
            return Thread.currentThread().isInterrupted();
        } catch (IllegalStateException e) {
            return true;
        }
    }

    /** Leaves when the other nodes have ended, too; the node's server ends with its last process. */
    @Override
    public void close() {
        beating.dispose();
        if (!isInterrupted()) {
            awaitOthers();
        }
        leave();
    }

    /** Leaves at once. */
    void leave() {
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

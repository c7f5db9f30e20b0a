package io.penstock.serve.client;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which server makes a batch: its own, number k mod n, unless another would have it much sooner.
 *
 * <p>A server would have it after all that it was asked for, by the time from batch to batch of its own. So a slow
 * server gets a share by its speed. One that is passed by altogether is measured now and then. One that has not
 * answered yet has one batch to make, and a consumer waits for it no longer than for a late one.
 */
final class ServerChoice {

    static final Duration FIRST_PAUSE = Duration.ofMillis(100);

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
    private static final Duration COLD = Duration.ofSeconds(2);
    private static final Duration BLINK = Duration.ofMillis(50);
    private static final int MAX_DOUBLINGS = 6;
    private static final double LONGER = 2; // batches of the best server
    private static final double MUCH_LONGER = 3;

    private final List<RemoteServer> servers;
    private final Object lock = new Object(); // and for the figures of the servers

    ServerChoice(List<RemoteServer> servers) {
        this.servers = servers;
    }

    /**
     * The server for a batch, which is counted as busy; null if none is there.
     * @param turn  of the batch in its epoch
     * @param tried those that must not be asked again
     */
    @Nullable RemoteServer take(long turn, Set<RemoteServer> tried) {
        synchronized (lock) {
            RemoteServer home = servers.get((int) Math.floorMod(turn, (long) servers.size()));
            RemoteServer best = null;
            for (RemoteServer server : servers) {
                if (isFree(server) && !tried.contains(server) && (best == null || cost(server) < cost(best))) {
                    best = server;
                }
            }
            if (best != null
                    && isFree(home)
                    && !tried.contains(home)
                    && cost(home) <= cost(best) + LONGER * each(best)) {
                best = home;
            }
            if (best != null) {
                best.busy++;
            }
            return best;
        }
    }

    private static boolean isFree(RemoteServer server) {
        return server.checked && (server.each > 0 || server.busy == 0);
    }

    private double cost(RemoteServer server) {
        return (server.busy + 1) * each(server);
    }

    private double each(RemoteServer server) {
        return server.each == 0 ? fastest() : server.each;
    }

    private double fastest() {
        return servers.stream()
                .filter(server -> server.checked && server.each > 0)
                .mapToDouble(server -> server.each)
                .min()
                .orElse(1);
    }

    /** A server whose plan is to be asked for, or a slow one that is to be measured with a batch; null if none is. */
    @Nullable RemoteServer due() {
        synchronized (lock) {
            long now = System.nanoTime();
            for (RemoteServer server : servers) {
                boolean slow = server.checked && server.busy == 0 && server.each > MUCH_LONGER * fastest();
                if ((slow || !server.checked) && !server.asked && now - server.until >= 0) {
                    server.asked = true;
                    server.until = now + LONGEST_PAUSE.toNanos();
                    return server;
                }
            }
            return null;
        }
    }

    void checked(RemoteServer server) {
        synchronized (lock) {
            server.checked = true;
            server.asked = false;
        }
    }

    void measured(RemoteServer server) {
        synchronized (lock) {
            server.asked = false;
        }
    }

    boolean areAllChecked() {
        synchronized (lock) {
            return servers.stream().allMatch(server -> server.checked);
        }
    }

    /**
     * How long to wait for a batch before another server is asked, too. It changes with what is measured.
     * @param waits how many servers were asked for it; each waits twice as long as the one before
     */
    Duration late(int waits) {
        synchronized (lock) {
            double[] usual = servers.stream()
                    .filter(server -> server.checked && server.usual > 0)
                    .mapToDouble(server -> server.usual)
                    .sorted()
                    .toArray();
            Duration late = usual.length == 0
                    ? COLD
                    : Duration.ofNanos((long) (MUCH_LONGER * usual[(usual.length - 1) / 2]))
                            .plus(BLINK);
            return late.multipliedBy(1L << Math.min(waits - 1, MAX_DOUBLINGS));
        }
    }

    /** A server has made a batch. */
    void took(RemoteServer server, long nanos) {
        synchronized (lock) {
            long now = System.nanoTime();
            long alone = Math.min(nanos, now - server.last); // without what it made of earlier requests
            server.each += server.each == 0 || server.late ? alone - server.each : (alone - server.each) / 4;
            server.usual += server.usual == 0 || server.late ? nanos - server.usual : (nanos - server.usual) / 4;
            server.last = now;
            server.late = false;
            server.pause = FIRST_PAUSE;
        }
    }

    /** A request that {@link #take} counted has ended. */
    void ended(RemoteServer server) {
        synchronized (lock) {
            server.busy--;
        }
    }

    /** Another server was faster, after this time. */
    void lost(RemoteServer server, long nanos) {
        synchronized (lock) {
            server.usual = Math.max(server.usual, (double) nanos);
            server.each = Math.max(server.each, (double) nanos);
            server.late = true;
        }
    }

    /** A server does not answer. It is asked for its plan before it gets a batch again. */
    void left(RemoteServer server) {
        synchronized (lock) {
            server.checked = false;
            server.asked = false;
            server.each = 0; // what comes back may be another process on another machine
            server.usual = 0;
            server.until = System.nanoTime() + server.pause.toNanos();
            Duration twice = server.pause.multipliedBy(2);
            server.pause = twice.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : twice;
        }
    }
}

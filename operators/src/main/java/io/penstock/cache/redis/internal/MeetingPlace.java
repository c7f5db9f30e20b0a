package io.penstock.cache.redis.internal;

import io.penstock.cache.Fingerprint;
import io.penstock.fault.StoreException;
import io.penstock.internal.FileErrors;
import io.penstock.order.Topology;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where the nodes of a job meet: at the server of the node that has an address, or in a folder that all of them share.
 *
 * @param host   of the node whose server keeps the roster; empty with a folder
 * @param port   of that server; 0 with a folder
 * @param folder that all nodes share, or null
 * @param nodes  how many there are as far as the environment says; otherwise 1
 */
public record MeetingPlace(String host, int port, @Nullable Path folder, int nodes) {

    private static final Pattern ADDRESS =
            Pattern.compile("(?<host>[0-9A-Za-z._-]{1,253}|\\[[0-9a-fA-F:.]{2,39}]):(?<port>[1-9]\\d{0,4})");
    private static final Pattern FIRST_HOST =
            Pattern.compile("(?<begin>[0-9A-Za-z._-]+)(\\[(?<digits>\\d+)[^]]*](?<end>[0-9A-Za-z._-]*))?(,.*)?");
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int MAX_PORT = 65_535;
    private static final int SLURM_PORT = 20_000;
    private static final int SLURM_PORTS = 10_000;

    /**
     * Reads {@code HOST:PORT} or a folder's path. If it is empty, the environment says the place: torchrun's
     * {@code MASTER_ADDR} with the port behind {@code MASTER_PORT}, or the first of Slurm's hosts with a port from
     * 20000 to 29999 by the number of the job.
     * @throws IllegalArgumentException if it is no place, or empty and the environment has none
     */
    public static MeetingPlace of(String text, Map<String, String> environment) {
        int nodes =
                Topology.from(environment).place().map(Topology.Place::nodes).orElse(1);
        if (text.contains("/")) {
            return new MeetingPlace("", 0, Path.of(text).toAbsolutePath(), nodes);
        }
        String address = text.isEmpty() ? fromEnvironment(environment) : text;
        Matcher parts = ADDRESS.matcher(address);
        if (!parts.matches() || Integer.parseInt(parts.group("port")) > MAX_PORT) {
            throw new IllegalArgumentException(
                    "nodes meet at HOST:PORT or in a folder whose path has a slash, not at \"" + address + "\"");
        }
        return new MeetingPlace(
                parts.group("host").replaceAll("[\\[\\]]", ""), Integer.parseInt(parts.group("port")), null, nodes);
    }

    private static String fromEnvironment(Map<String, String> environment) {
        String master = environment.getOrDefault("MASTER_ADDR", "");
        String port = environment.getOrDefault("MASTER_PORT", "");
        if (!master.isEmpty() && port.matches("\\d{1,5}")) {
            return (master.contains(":") ? "[" + master + "]" : master) + ":" + (Integer.parseInt(port) + 1);
        }
        String hosts =
                environment.getOrDefault("SLURM_STEP_NODELIST", environment.getOrDefault("SLURM_JOB_NODELIST", ""));
        String job = environment.getOrDefault("SLURM_JOB_ID", "");
        Matcher first = FIRST_HOST.matcher(hosts);
        if (!first.matches() || !job.matches("\\d{1,18}")) {
            throw new IllegalArgumentException("the nodes of spawn-all need a place to meet: say meet=HOST:PORT of one"
                    + " of them, or meet=/SHARED/FOLDER; the environment has neither MASTER_ADDR and MASTER_PORT, nor"
                    + " SLURM_JOB_NODELIST and SLURM_JOB_ID");
        }
        String host = first.group("digits") == null
                ? first.group("begin")
                : first.group("begin") + first.group("digits") + first.group("end");
        return host + ":" + (SLURM_PORT + Long.parseLong(job) % SLURM_PORTS);
    }

    /**
     * The address of this node that the others reach: the given one, or else that of the place itself, or else the one
     * from which this node reaches the place.
     * @throws StoreException if only this machine reaches that address and there are more nodes
     */
    public String local(String given) {
        if (!given.isEmpty()) {
            return given;
        }
        try {
            InetAddress address;
            if (folder != null) {
                address = InetAddress.getLocalHost();
            } else {
                InetAddress place = InetAddress.getByName(host);
                address = isOfThisMachine(place) ? place : towards(place);
            }
            if (address.isLoopbackAddress() && (nodes > 1 || folder != null)) {
                throw new StoreException("only this machine reaches %s, which this node would be for the others; say"
                                .formatted(address.getHostAddress())
                        + " bind=ADDRESS");
            }
            return address.getHostAddress().replaceAll("%.*", "");
        } catch (IOException e) {
            throw unusable(e);
        }
    }

    private StoreException unusable(IOException e) {
        return new StoreException(
                "cannot use the place where the nodes meet, %s: %s".formatted(this, FileErrors.reason(e)), e);
    }

    private static boolean isOfThisMachine(InetAddress address) throws IOException {
        return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
    }

    private InetAddress towards(InetAddress place) throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) { // it sends nothing
            socket.connect(new InetSocketAddress(place, port));
            return socket.getLocalAddress();
        }
    }

    /** Whether the place is the server of the node with this address. */
    public boolean isAt(String local) {
        if (folder != null) {
            return false;
        }
        try {
            InetAddress own = InetAddress.getByName(local);
            for (InetAddress place : InetAddress.getAllByName(host)) {
                // some systems have their own name stand for a loopback address
                if (place.equals(own) || place.isLoopbackAddress() && !own.isLoopbackAddress()) {
                    return true;
                }
            }
            return false;
        } catch (IOException e) {
            throw unusable(e);
        }
    }

    /**
     * The password of all nodes' servers: the given one, or else one that the folder keeps.
     * @throws IllegalArgumentException if none is given and there is no folder
     * @throws StoreException if others than this user may use the folder
     */
    public Secret password(Secret given) {
        if (folder != null) {
            try {
                SpawnedServer.requireOwn(folder);
                return given.isNone() ? FolderRoster.password(folder) : given;
            } catch (IOException e) {
                throw unusable(e);
            }
        }
        if (given.isNone()) {
            throw new IllegalArgumentException("the servers of spawn-all share a password, and none is said: set"
                    + " PENSTOCK_REDIS_PASSWORD, or say password-file=FILE, on every node");
        }
        return given;
    }

    /**
     * Joins the nodes that meet here, and waits for them; blocks.
     *
     * @param server finds or starts this node's server
     * @param name   of this node
     * @param local  its address
     * @param nodes  that are waited for
     * @param atMost how long they are
     */
    public Membership meet(
            Supplier<SpawnedServer> server, String name, String local, Secret password, int nodes, Duration atMost) {
        Roster roster = folder != null
                ? new FolderRoster(folder)
                : new ServerRoster(isAt(local) ? local : host, port, password);
        Membership membership = new Membership(server, name, local, roster, PATIENCE, PATIENCE);
        if (!membership.password().equals(password)) {
            membership.leave();
            throw new StoreException("the redis server of this node runs already, with another password; say dir=DIR"
                    + " for one of this job's own");
        }
        try {
            membership.await(nodes, atMost);
            return membership;
        } catch (StoreException e) {
            membership.leave();
            throw e;
        }
    }

    /** Tells this job's files on a node from those of others. */
    public String id() {
        return Fingerprint.of(toString()).hex().substring(0, 12);
    }

    @Override
    public String toString() {
        return folder != null ? folder.toString() : host + ":" + port;
    }
}

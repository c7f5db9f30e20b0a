package io.penstock.cache.redis;

import io.penstock.internal.Arguments;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Where servers are, and the protocol to use.
 *
 * @param kind     what the hosts are
 * @param hosts    at least one
 * @param tls      whether the connection is encrypted
 * @param database number of a server's database; 0 in a cluster
 * @param master   what sentinels call it; empty without them
 */
record Address(Kind kind, List<Host> hosts, boolean tls, int database, String master) {

    /** What the hosts at an address are. */
    enum Kind {
        /** Servers that know nothing of each other; with several, each has its own share of the keys. */
        SERVERS,
        /** Some nodes of one cluster, which tell the others. */
        CLUSTER,
        /** Sentinels, which tell where the master is. */
        SENTINELS
    }

    record Host(String name, int port) {
        @Override
        public String toString() {
            return (name.indexOf(':') >= 0 ? "[" + name + "]" : name) + ":" + port;
        }
    }

    Address {
        hosts = List.copyOf(hosts);
    }

    /** A server without TLS. */
    static Address of(String host, int port) {
        return new Address(Kind.SERVERS, List.of(new Host(host, port)), false, 0, "");
    }

    /** The parts that have a connection of their own, each by its name. */
    Map<String, Address> byName() {
        Map<String, Address> parts = new LinkedHashMap<>();
        for (Host host : kind == Kind.SERVERS ? hosts : List.<Host>of()) {
            Address part = new Address(kind, List.of(host), tls, database, master);
            parts.put(part.toString(), part);
        }
        return parts.isEmpty() ? Map.of(toString(), this) : parts;
    }

    /** Only the server that is this node's own. */
    Address own(int node) {
        Arguments.refuse(kind != Kind.SERVERS, "only plain servers can be a node's own, these are %s", this);
        return new Address(kind, List.of(hosts.get(Math.floorMod(node, hosts.size()))), tls, database, master);
    }

    @Override
    public String toString() {
        String what = switch (kind) {
            case SERVERS -> "";
            case CLUSTER -> "-cluster";
            case SENTINELS -> "-sentinel";
        };
        return "redis" + (tls ? "s" : "") + what + "://"
                + hosts.stream().map(Host::toString).collect(Collectors.joining(","))
                + (database == 0 ? "" : "/" + database);
    }
}

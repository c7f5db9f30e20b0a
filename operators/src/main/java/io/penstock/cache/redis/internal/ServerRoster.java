package io.penstock.cache.redis.internal;

import java.io.IOException;
import java.util.Collection;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A roster in the server of one of the nodes: each process subscribes to a channel that is called as its node, and the
 * list of channels with subscribers is the list of nodes. So a process that dies is off the list with its connection,
 * no clocks are compared, and a server that is full, and takes no key any more, still keeps the list.
 */
final class ServerRoster implements Roster {

    private static final String PREFIX = "penstock-node ";

    private final String host;
    private final int port;
    private final Secret password;
    private @Nullable Member said;
    private @Nullable PlainClient saying;
    private @Nullable PlainClient asking;

    ServerRoster(String host, int port, Secret password) {
        this.host = host;
        this.port = port;
        this.password = password;
    }

    @Override
    public Collection<Member> renew(Member self) throws IOException {
        try {
            if (!self.equals(said)) {
                say(self);
            }
            Collection<Member> there = Stream.of(Objects.requireNonNull(asking)
                            .ask("PUBSUB", "CHANNELS", PREFIX + "*")
                            .split("\n", -1))
                    .filter(channel -> channel.startsWith(PREFIX))
                    .map(channel -> Member.parse(channel.substring(PREFIX.length())))
                    .filter(Objects::nonNull)
                    .toList();
            if (!there.contains(self)) {
                throw new IOException("the connection that kept this node on its list is gone");
            }
            return there;
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    private void say(Member self) throws IOException {
        close();
        saying = PlainClient.connect(host, port, password);
        saying.ask("SUBSCRIBE", PREFIX + self.words());
        asking = PlainClient.connect(host, port, password);
        said = self;
    }

    @Override
    public void close() {
        said = null;
        for (PlainClient client : new @Nullable PlainClient[] {saying, asking}) {
            if (client != null) {
                client.close();
            }
        }
        saying = null;
        asking = null;
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}

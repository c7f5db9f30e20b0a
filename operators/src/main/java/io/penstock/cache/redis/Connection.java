package io.penstock.cache.redis;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanStream;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.resource.ClientResources;
import io.netty.channel.EventLoop;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** One connection to a server, or to all nodes of a cluster. */
final class Connection {

    private static final String ALONE = "";
    private static final String UNKNOWN = "?";
    private static final byte[] PROBE = {'p', 'e', 'n', 's', 't', 'o', 'c', 'k'};
    private static final int SCANNED = 1000;

    private final AbstractRedisClient client;
    private final StatefulConnection<byte[], Frame> connection;
    private final @Nullable StatefulRedisClusterConnection<byte[], Frame> cluster;
    private final ClientResources resources;
    private final AtomicReference<@Nullable EventLoop> loop;

    Connection(
            AbstractRedisClient client,
            StatefulConnection<byte[], Frame> connection,
            ClientResources resources,
            AtomicReference<@Nullable EventLoop> loop) {
        this.client = client;
        this.connection = connection;
        this.cluster = connection instanceof StatefulRedisClusterConnection<byte[], Frame> many ? many : null;
        this.resources = resources;
        this.loop = loop;
    }

    /** Runs work on the thread that writes commands; on this one if that thread is gone. */
    void execute(Runnable work) {
        EventLoop writing = loop.get();
        try {
            if (writing != null) {
                writing.execute(work);
                return;
            }
        } catch (RejectedExecutionException e) {
            // closed: what is sent fails, and says so
        }
        work.run();
    }

    /** Sends commands in one go; one that cannot be sent fails. */
    void send(List<? extends AsyncCommand<byte[], Frame, ?>> commands) {
        try {
            if (cluster
                    != null) { // in one go it would wait, on this very thread, for connections that are not there yet
                commands.forEach(connection::dispatch);
            } else {
                connection.dispatch(commands);
            }
        } catch (RuntimeException e) {
            commands.forEach(command -> command.completeExceptionally(e));
        }
    }

    /** Whether keys may be on different servers, and so cannot be asked for in one command. */
    boolean isCluster() {
        return cluster != null;
    }

    /** The name of the node that has a key. */
    String nodeOf(byte[] key) {
        if (cluster == null) {
            return ALONE;
        }
        RedisClusterNode node = cluster.getPartitions().getPartitionBySlot(SlotHash.getSlot(key));
        return node == null ? UNKNOWN : node.getNodeId();
    }

    /** Asks for anything; completes with the answer. */
    CompletionStage<Long> ping(Commands commands) {
        AsyncCommand<byte[], Frame, Long> question = commands.exists(PROBE.clone());
        send(List.of(question));
        return question;
    }

    /** What each master says of itself. */
    Flux<String> infos() {
        return nodes().flatMap(node -> Mono.fromCompletionStage(node.async().info()));
    }

    private Flux<StatefulRedisConnection<byte[], Frame>> nodes() {
        if (cluster == null) {
            return Flux.just((StatefulRedisConnection<byte[], Frame>) connection);
        }
        StatefulRedisClusterConnection<byte[], Frame> many = cluster;
        return Flux.fromStream(() -> many.getPartitions().stream()
                        .filter(node -> node.is(RedisClusterNode.NodeFlag.UPSTREAM)
                                && !node.getSlots().isEmpty()))
                .flatMap(node -> Mono.fromCompletionStage(many.getConnectionAsync(node.getNodeId())));
    }

    Flux<byte[]> scan(String pattern) {
        ScanArgs matching = ScanArgs.Builder.matches(pattern).limit(SCANNED);
        return cluster != null
                ? ScanStream.scan(cluster.reactive(), matching)
                : ScanStream.scan(((StatefulRedisConnection<byte[], Frame>) connection).reactive(), matching);
    }

    /** Closes everything but the threads, which other connections have too. */
    CompletionStage<Boolean> close() {
        return connection.closeAsync().handle((closed, e) -> true).thenCompose(any -> shutDown(client, resources));
    }

    static CompletionStage<Boolean> shutDown(@Nullable AbstractRedisClient client, ClientResources resources) {
        CompletionStage<Void> gone =
                client == null ? CompletableFuture.completedFuture(null) : client.shutdownAsync(0, 1, TimeUnit.SECONDS);
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        gone.whenComplete((nothing, e) -> {
            resources.shutdown(0, 1, TimeUnit.SECONDS).addListener(end -> done.complete(true));
        });
        return done;
    }
}

package io.penstock.cache.redis;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes connections, which their client makes again when they break. */
record Connector(Address address, Settings settings, RedisCodec<byte[], Frame> codec, ClientThreads threads) {

    private static final Logger LOG = LoggerFactory.getLogger(Connector.class);
    private static final Duration TOPOLOGY = Duration.ofSeconds(10);

    private static final Duration AGAIN = Duration.ofSeconds(1);

    /** Connects now, blocking; a failure leaves nothing behind. */
    Connection connect() {
        AtomicReference<@Nullable EventLoop> loop = new AtomicReference<>();
        ClientResources resources = threads.with(new NettyCustomizer() {
            @Override
            public void afterChannelInitialized(Channel channel) {
                loop.set(channel.eventLoop());
            }
        });
        AbstractRedisClient client = null;
        try {
            if (address.kind() == Address.Kind.CLUSTER) {
                RedisClusterClient cluster = RedisClusterClient.create(resources, uris());
                client = cluster;
                cluster.setOptions(clusterOptions());
                return new Connection(cluster, connected(cluster.connect(codec)), resources, loop);
            }
            RedisClient single = RedisClient.create(resources);
            client = single;
            single.setOptions(options(ClientOptions.builder()).build());
            StatefulConnection<byte[], Frame> connection = single.connect(codec, uris().get(0));
            return new Connection(single, connection, resources, loop);
        } catch (RuntimeException | Error e) {
            Connection.shutDown(client, resources);
            throw e;
        }
    }

    /** Connects to each node now: what is sent while a connection is being made is rejected. */
    private static StatefulRedisClusterConnection<byte[], Frame> connected(
            StatefulRedisClusterConnection<byte[], Frame> cluster) {
        for (RedisClusterNode node : cluster.getPartitions()) {
            if (!node.getSlots().isEmpty()) {
                try {
                    cluster.getConnection(node.getUri().getHost(), node.getUri().getPort());
                } catch (RedisException e) {
                    LOG.debug("a node of the redis cluster is out of reach", e);
                }
            }
        }
        return cluster;
    }

    private List<RedisURI> uris() {
        if (address.kind() == Address.Kind.SENTINELS) {
            RedisURI.Builder uri = RedisURI.builder();
            address.hosts().forEach(host -> uri.withSentinel(host.name(), host.port()));
            return List.of(complete(uri.withSentinelMasterId(address.master())));
        }
        return address.hosts().stream()
                .map(host -> complete(RedisURI.builder().withHost(host.name()).withPort(host.port())))
                .toList();
    }

    private RedisURI complete(RedisURI.Builder uri) {
        uri.withSsl(address.tls())
                .withDatabase(address.database())
                .withTimeout(settings.connecting()) // of the greeting; commands have one of their own
                .withClientName("penstock");
        if (address.tls()) {
            uri.withVerifyPeer(SslVerifyMode.valueOf(settings.verify().name()));
        }
        if (!settings.password().isNone()) {
            char[] password = settings.password().reveal().toCharArray();
            if (settings.user().isEmpty()) {
                uri.withPassword(password);
            } else {
                uri.withAuthentication(settings.user(), password);
            }
        }
        return uri.build();
    }

    private <B extends ClientOptions.Builder> B options(B options) {
        options.disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .timeoutOptions(TimeoutOptions.enabled(settings.timeout()))
                .socketOptions(io.lettuce.core.SocketOptions.builder()
                        .connectTimeout(settings.timeout())
                        .keepAlive(true)
                        .build());
        Path certificates = settings.certificates();
        if (address.tls()) {
            SslOptions.Builder ssl = SslOptions.builder().jdkSslProvider().handshakeTimeout(settings.timeout());
            if (certificates != null) {
                ssl.trustManager(certificates.toFile());
            }
            options.sslOptions(ssl.build());
        }
        return options;
    }

    private ClusterClientOptions clusterOptions() {
        return options(ClusterClientOptions.builder())
                .topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                        .adaptiveRefreshTriggersTimeout(AGAIN)
                        .enablePeriodicRefresh(TOPOLOGY)
                        .build())
                .build();
    }
}

package io.penstock.cache.redis;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.NettyCustomizer;
import io.lettuce.core.resource.Transports;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The threads of a tier's client, which the connections to all its servers share. */
final class ClientThreads implements AutoCloseable {

    private static final Delay RECONNECT =
            Delay.fullJitter(Duration.ofMillis(50), Duration.ofSeconds(2), 50, TimeUnit.MILLISECONDS);
    private static final int READING = 4; // each is started by the first connection that it gets
    private static final int COMPUTING = 2;

    private final ClientResources resources = DefaultClientResources.builder()
            .ioThreadPoolSize(READING)
            .computationThreadPoolSize(COMPUTING)
            .build();

    /** Holds the reading threads: without a user they would end, and with them what is left to do of a failed attempt. */
    ClientThreads() {
        resources.eventLoopGroupProvider().allocate(Transports.eventLoopGroupClass());
    }

    /** What one client is made with. Shutting it down leaves the threads to the others. */
    ClientResources with(NettyCustomizer customizer) {
        return DefaultClientResources.builder()
                .eventLoopGroupProvider(resources.eventLoopGroupProvider())
                .eventExecutorGroup(resources.eventExecutorGroup())
                .timer(resources.timer())
                .reconnectDelay(RECONNECT)
                .nettyCustomizer(customizer)
                .build();
    }

    /** Ends the threads, and waits a moment for their end. */
    @Override
    public void close() {
        resources.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
    }
}

package io.penstock.cache;

import io.penstock.cache.redis.RedisTier;
import io.penstock.cache.redis.TestServer;
import io.penstock.testkit.TierKit;
import java.nio.file.Path;
import java.util.Set;
import net.jqwik.api.lifecycle.AfterContainer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.io.TempDir;

/** The tier in Redis is a tier, over a real server. */
class RedisTierKitTest extends TierKit {

    @TempDir
    static Path directory;

    private static @Nullable TestServer server; // two engines run the kit, each once

    @AfterAll
    @AfterContainer
    static void stop() {
        if (server != null) {
            server.close();
            server = null;
        }
    }

    @Override
    protected Set<Trait> traits() {
        return Set.of();
    }

    TestServer server() {
        if (server == null) {
            server = TestServer.start(directory);
        }
        return server;
    }

    @Override
    protected Tier open(long bytes) {
        TestServer open = server();
        open.ask("FLUSHALL");
        open.ask("CONFIG", "SET", "maxmemory", Long.toString(bytes));
        return RedisTier.at(open.uri() + "?name=kit&timeout=60s").open();
    }

    @Override
    protected int effort(int work) {
        return work / 20;
    }

    @Override
    protected void settle(Tier tier) {
        ((RedisTier) tier).flush().block(TIMEOUT);
    }
}

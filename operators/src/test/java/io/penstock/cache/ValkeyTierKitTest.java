package io.penstock.cache;

import io.penstock.cache.redis.TestServer;
import io.penstock.cache.redis.ValkeyProgram;
import java.nio.file.Path;
import net.jqwik.api.lifecycle.AddLifecycleHook;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.LifecycleContext;
import net.jqwik.api.lifecycle.SkipExecutionHook;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** The tier is one over Valkey too, where this machine has it: {@code valkey-server} of its packages. */
@EnabledIf(value = "io.penstock.cache.redis.ValkeyProgram#isInstalled", disabledReason = ValkeyProgram.MISSING)
@AddLifecycleHook(ValkeyTierKitTest.Installed.class)
class ValkeyTierKitTest extends RedisTierKitTest {

    @TempDir
    static Path directory;

    private static @Nullable TestServer server;

    /** jqwik's half of the condition. */
    static final class Installed implements SkipExecutionHook {
        @Override
        public SkipResult shouldBeSkipped(LifecycleContext context) {
            return ValkeyProgram.isInstalled() ? SkipResult.doNotSkip() : SkipResult.skip(ValkeyProgram.MISSING);
        }
    }

    @AfterAll
    @AfterContainer
    static void stopValkey() {
        if (server != null) {
            server.close();
            server = null;
        }
    }

    @Override
    TestServer server() {
        if (server == null) {
            server = ValkeyProgram.start(directory);
        }
        return server;
    }
}

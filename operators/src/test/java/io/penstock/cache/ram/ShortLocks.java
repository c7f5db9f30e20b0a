package io.penstock.cache.ram;

import io.penstock.cache.internal.RamSegment;
import java.lang.reflect.Method;
import java.util.List;
import reactor.blockhound.BlockHound;
import reactor.blockhound.integration.BlockHoundIntegration;

/**
 * Lets threads that must not block take the locks of the RAM tier's index and slabs, and one of Lettuce's. They are held for
 * a few memory accesses, as those inside the JDK's maps, or for the copy of a value.
 */
public final class ShortLocks implements BlockHoundIntegration {

    @Override
    public void applyTo(BlockHound.Builder builder) {
        for (Class<?> locked : List.of(RamSegment.class, Slabs.class, MemoryFile.class)) {
            for (Method method : locked.getDeclaredMethods()) {
                builder.allowBlockingCallsInside(locked.getName(), method.getName());
            }
        }
        // Lettuce counts its writers under a lock that is held for the counting
        builder.allowBlockingCallsInside("io.lettuce.core.protocol.SharedLock", "incrementWriters");
        builder.allowBlockingCallsInside("io.lettuce.core.protocol.SharedLock", "decrementWriters");
    }
}

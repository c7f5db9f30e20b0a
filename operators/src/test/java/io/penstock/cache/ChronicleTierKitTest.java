package io.penstock.cache;

import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.testkit.TierKit;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.io.TempDir;

/** The disk tier is a tier. */
class ChronicleTierKitTest extends TierKit {

    @TempDir
    static Path directory;

    private final AtomicInteger opened = new AtomicInteger();

    @Override
    protected Set<Trait> traits() {
        return Set.of(Trait.ANSWERS_GROUPS);
    }

    @Override
    protected Tier open(long bytes) {
        Path own = directory.resolve(System.identityHashCode(this) + "-" + opened.incrementAndGet());
        return ChronicleTier.at(own).maxBytes(bytes).open();
    }

    @Override
    protected void settle(Tier tier) {
        ((ChronicleTier) tier).flush().block(TIMEOUT);
    }
}

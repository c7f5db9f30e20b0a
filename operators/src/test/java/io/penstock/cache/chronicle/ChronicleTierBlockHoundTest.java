package io.penstock.cache.chronicle;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.Producer;
import io.penstock.testkit.TierKit;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.blockhound.BlockHound;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Nothing blocks the threads that ask a disk cache, also while it is behind with writing and other processes write too. */
@Tag("blockhound")
class ChronicleTierBlockHoundTest {

    @TempDir
    Path directory;

    @BeforeAll
    static void install() {
        // A worker that is parked now runs the old code of its queue, which BlockHound does not exempt: its next park
        // throws, it dies within the queue's lock, and every later worker of the pool waits for that lock.
        Schedulers.shutdownNow();
        BlockHound.install();
    }

    @Test
    void tier_anythingAskedOfIt_blocksNoWorker() {
        int samples = 2_000;
        ChronicleOptions options =
                ChronicleTier.at(directory).maxBytes(64 << 20).pendingBytes(1 << 16);
        try (ChronicleTier tier = options.open();
                ChronicleTier peers = options.readOnly().open()) {
            Mono<Long> all = Flux.range(0, samples)
                    .flatMap(i -> Mono.defer(() -> load(tier, peers, i)).subscribeOn(Schedulers.parallel()), 16)
                    .count();

            assertThat(all.block(Values.TIMEOUT)).isEqualTo(samples);
            assertThat(tier.statistics().samples()).isEqualTo(samples / 2);
        }
    }

    private static Mono<Boolean> load(ChronicleTier tier, ChronicleTier peers, int number) {
        long sample = number / 2;
        tier.producedBy(new Producer(List.of("source " + number % 100), List.of(), "codec"));
        return Mono.usingWhen(
                        tier.lease(Values.key(sample)),
                        lease -> tier.get(Values.key(sample))
                                .map(ByteBuffer::hasRemaining)
                                .switchIfEmpty(Mono.defer(() ->
                                        TierKit.put(tier, Values.key(sample), ByteBuffer.wrap(Values.value(sample))))),
                        lease -> Mono.fromRunnable(lease::release))
                .flatMap(done -> peers.get(Values.key(sample)).hasElement());
    }
}

package io.penstock.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.ErrorPolicy;
import io.penstock.pipeline.Samples;
import io.penstock.stream.ShuffleBuffer;
import io.penstock.tensor.Schema;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** A stream that does not end needs no more memory after ten million elements than after one. */
@Tag("endurance")
class EndlessMemoryTest {

    private static final int ELEMENTS = 10_000_000;
    private static final int BATCH = 500;
    private static final long ALLOWED = 4L << 20; // less than a byte an element

    private record Item(long id) {}

    private static long usedHeap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    @Test
    void stages_shuffleBatchesAndCommits_keepNothing() {
        ShuffleBuffer<Long> shuffle = ShuffleBuffer.of(1_000, 1);
        AtomicLong committed = new AtomicLong();
        Commits<Long> commits = Commits.at(0L, shuffle, (offset, number) -> committed.set(number));
        AtomicLong before = new AtomicLong();
        AtomicLong batches = new AtomicLong();

        Flux.range(0, ELEMENTS)
                .map(Long::valueOf)
                .transform(commits.offsets(id -> id + 1))
                .transform(shuffle)
                .transform(Samples.numbered(42))
                .transform(Samples.map("item", Item::new))
                .transform(Samples.augment("dice", (item, random) -> new Item(item.id() ^ random.nextInt())))
                .transform(Samples.map("parse", EndlessMemoryTest::parsed))
                .transform(Samples.onError(ErrorPolicy.skip()))
                .transform(Batches.of(BATCH, Schema.of(Item.class)))
                .transform(commits.onClose())
                .doOnNext(batch -> {
                    batch.close();
                    if (batches.incrementAndGet() == ELEMENTS / 10 / BATCH) {
                        before.set(usedHeap());
                    }
                })
                .blockLast(Duration.ofMinutes(5));

        assertThat(usedHeap() - before.get()).isLessThan(ALLOWED);
        assertThat(batches).hasValue(ELEMENTS / BATCH);
        assertThat(committed.get()).isGreaterThan(ELEMENTS - 3_000);
    }

    /** One in a thousand is broken. */
    private static Item parsed(Item item) {
        if (item.id() % 1_000 == 0) {
            throw new IllegalStateException("broken");
        }
        return item;
    }
}

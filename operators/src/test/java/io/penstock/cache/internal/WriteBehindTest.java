package io.penstock.cache.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.SampleKey;
import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class WriteBehindTest {

    private static final SampleKey KEY = SampleKey.of("key");

    private final List<Runnable> tasks = new ArrayList<>();
    private int passes;
    private final WriteBehind<TenBytes> queue = new WriteBehind<>(tasks::add, () -> passes++);

    private static final class TenBytes extends WriteBehind.Write {
        TenBytes() {
            super(KEY, Encoded.of(ByteBuffer.wrap(new byte[] {7})));
        }

        @Override
        public long bytes() {
            return 10;
        }
    }

    @Test
    void value_fromItsPutToItsFinish_isFoundAndCounted() {
        TenBytes write = new TenBytes();

        assertThat(queue.enter(write)).isTrue();
        assertThat(queue.enter(new TenBytes())).isFalse();
        assertThat(queue.enqueue(write)).isEqualTo(10);
        assertThat(queue.poll()).isSameAs(write);

        assertThat(queue.find(KEY)).isEqualTo(ByteBuffer.wrap(new byte[] {7}));
        assertThat(queue.bytes()).isEqualTo(10);
        assertThat(queue.countWith(() -> 0)).isEqualTo(1);

        queue.finish(write, true);

        assertThat(queue.find(KEY)).isNull();
        assertThat(queue.bytes()).isZero();
        assertThat(queue.countWith(() -> 0)).isZero();
    }

    /** What counts while a value moves waits until it is in one place alone. */
    @Test
    void value_thatMovesToTheOtherPlace_isCountedOnce() throws Exception {
        AtomicLong other = new AtomicLong();
        AtomicLong counted = new AtomicLong();
        Thread counting = new Thread(() -> counted.set(queue.countWith(other::get)));
        TenBytes write = new TenBytes();
        assertThat(queue.enter(write)).isTrue();

        queue.move(write, () -> {
            other.incrementAndGet();
            counting.start();
            while (counting.getState() != Thread.State.BLOCKED && counting.isAlive()) {
                Thread.onSpinWait();
            }
        });
        counting.join();

        assertThat(counted).hasValue(1);
        assertThat(queue.find(KEY)).isNull();
    }

    @Test
    void after_ofAKeyThatIsOnItsWay_runsWhenItsWriteIsFinished() {
        List<String> ran = new ArrayList<>();
        TenBytes write = new TenBytes();
        assertThat(queue.enter(write)).isTrue();
        assertThat(queue.enqueue(write)).isEqualTo(10);

        queue.after(SampleKey.of("other"), () -> ran.add("other"));
        queue.after(KEY, () -> ran.add("key"));
        assertThat(ran).containsExactly("other");

        queue.finish(write, false);
        assertThat(ran).containsExactly("other", "key");
    }

    /** A cancelled subscriber of one put must not end the wait of another. */
    @Test
    void held_cancelledByOneCaller_completesForOthers() {
        TenBytes write = new TenBytes();
        var one = write.held().toCompletableFuture();
        var other = write.held().toCompletableFuture();

        one.cancel(true);
        write.complete(true);

        assertThat(other).isCompletedWithValue(true);
    }

    @Test
    void work_severalTimesBeforeTheThreadComes_isOneTaskWithAPassAfterAll() {
        queue.work();
        queue.work();
        assertThat(tasks).hasSize(1);

        tasks.get(0).run();
        assertThat(passes).isPositive();

        queue.work();
        assertThat(tasks).hasSize(2);
    }
}

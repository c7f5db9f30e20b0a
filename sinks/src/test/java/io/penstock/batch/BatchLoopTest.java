package io.penstock.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.order.Draw;
import io.penstock.order.Position;
import io.penstock.order.Sampler;
import io.penstock.stream.Sample;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.publisher.TestPublisher;

@Timeout(60)
class BatchLoopTest {

    private static Flux<Batch> batches(int slots, int epochs) {
        return Points.jittery(10).stream(Sampler.sequential().epochs(epochs))
                .transform(Batches.of(4, Points.SCHEMA).slots(slots));
    }

    /** Batches that count how many of them are open. */
    private static Batch counted(AtomicInteger open, long number) {
        open.incrementAndGet();
        return new Batch(Map.of(), 1, null, 0, new Position(0, number + 1), open::decrementAndGet);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void loop_hasEveryBatchInOrder(int slots) {
        List<Long> ids = new ArrayList<>();

        try (BatchLoop loop = BatchLoop.over(batches(slots, 2))) {
            for (Batch batch : loop) {
                for (long id : Points.ids(batch)) {
                    ids.add(id);
                }
                if (ids.size() % 3 == 0) {
                    batch.close(); // earlier than the loop does
                }
            }
        }

        assertThat(ids).hasSize(20).startsWith(0L, 1L, 2L).endsWith(8L, 9L);
        assertThat(ids.subList(0, 10)).isEqualTo(ids.subList(10, 20));
    }

    @Test
    void nextBatch_closesTheOneBefore() {
        AtomicInteger open = new AtomicInteger();
        List<Integer> counts = new ArrayList<>();

        try (BatchLoop loop = BatchLoop.over(Flux.range(0, 5).map(i -> counted(open, i)))) {
            loop.forEach(batch -> counts.add(open.get()));
        }

        assertThat(counts).containsExactly(2, 2, 2, 2, 1); // its own, and the one that is ready
        assertThat(open).hasValue(0);
    }

    @Test
    void leftEarly_everyBatchIsClosedAndTheStreamIsCancelled() {
        for (int end = 0; end < 100; end++) {
            AtomicInteger open = new AtomicInteger();
            TestPublisher<Batch> source = TestPublisher.create();
            int body = end % 4;

            try (BatchLoop loop = BatchLoop.over(source.flux())) {
                Iterator<Batch> each = loop.iterator();
                source.next(counted(open, 0));
                assertThat(each.hasNext()).isTrue();
                if (body > 0) {
                    each.next();
                    source.next(counted(open, 1));
                }
                if (body == 2) {
                    each.next().close();
                } else if (body == 3) {
                    throw new ArithmeticException("of the body");
                }
            } catch (ArithmeticException e) {
                assertThat(body).isEqualTo(3);
            }

            source.assertCancelled();
            assertThat(open).hasValue(0);
        }
    }

    @Test
    void neverBegun_nothingIsSubscribed() {
        TestPublisher<Batch> source = TestPublisher.create();
        BatchLoop loop = BatchLoop.over(source.flux());

        loop.close();

        source.assertWasNotSubscribed();
        assertThatThrownBy(loop::iterator)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("once");
    }

    @Test
    void secondPass_isRefused() {
        try (BatchLoop loop = BatchLoop.over(batches(3, 1))) {
            loop.forEach(batch -> {});

            assertThatThrownBy(loop::iterator)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("epoch");
        }
    }

    @Test
    void failedStream_isThrownBehindTheBatchesBeforeIt() {
        IllegalStateException cause = new IllegalStateException("broken");
        AtomicInteger open = new AtomicInteger();
        List<Batch> seen = new ArrayList<>();
        Flux<Batch> failing = Flux.range(0, 2).map(i -> counted(open, i)).concatWith(Mono.error(cause));

        try (BatchLoop loop = BatchLoop.over(failing)) {
            assertThatThrownBy(() -> loop.forEach(seen::add)).isSameAs(cause);
        }

        assertThat(seen).hasSize(2);
        assertThat(open).hasValue(0);
    }

    @Test
    void closedByAnotherThread_theLoopEnds() throws Exception {
        TestPublisher<Batch> source = TestPublisher.create();
        BatchLoop loop = BatchLoop.over(source.flux());
        Iterator<Batch> each = loop.iterator();
        FutureTask<Boolean> waits = new FutureTask<>(each::hasNext);
        Thread thread = new Thread(waits);
        thread.start();

        loop.close();

        assertThat(waits.get()).isFalse();
    }

    @Test
    void interrupted_saysSoAndEndsTheStream() throws Exception {
        TestPublisher<Batch> source = TestPublisher.create();
        Iterator<Batch> each = BatchLoop.over(source.flux()).iterator();
        FutureTask<Boolean> waits = new FutureTask<>(each::hasNext);
        Thread thread = new Thread(waits);
        thread.start();

        thread.interrupt();

        assertThatThrownBy(waits::get)
                .isInstanceOf(ExecutionException.class)
                .hasStackTraceContaining("the loop was interrupted while it waited");
        source.assertCancelled();
    }

    @Test
    void hundredEarlyEnds_needTheMemoryOfOne() throws Exception {
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:MaxDirectMemorySize=32m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        EarlyEnds.class.getName())
                .redirectErrorStream(true)
                .start();

        String said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(said).contains("ended 100 times").doesNotContain("without being closed", "waiting for");
        assertThat(child.waitFor()).isZero();
    }

    /** Leaves a loop over batches of 2 MiB a hundred times, in a process of its own. */
    static final class EarlyEnds {

        private record Blob(Tensor bytes) {}

        private EarlyEnds() {}

        public static void main(String[] arguments) {
            Tensor megabyte = Tensor.ofBytes(new byte[1 << 20]);
            Flux<Batch> flux = Flux.range(0, 100)
                    .map(i -> Sample.of(new Draw(0, 0, i, new Position(0, i + 1)), new Blob(megabyte)))
                    .transform(Batches.of(2, Schema.of(Blob.class)));
            for (int end = 0; end < 100; end++) {
                try (BatchLoop loop = BatchLoop.over(flux)) {
                    int left = end % 5;
                    for (Batch batch : loop) {
                        if (left-- == 0 || batch.size() != 2) {
                            break;
                        }
                    }
                }
            }
            System.out.println("ended 100 times");
        }
    }

    @Test
    void nonBlockingThread_isRefused() {
        Mono<Boolean> onParallel = Mono.fromCallable(
                        () -> BatchLoop.over(batches(3, 1)).iterator().hasNext())
                .subscribeOn(Schedulers.parallel());

        assertThatThrownBy(onParallel::block)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("must not; loop on another one");
    }
}

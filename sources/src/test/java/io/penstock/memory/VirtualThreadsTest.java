package io.penstock.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.order.Sampler;
import io.penstock.stream.Execution;
import io.penstock.stream.Sample;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Loaders that block, on an executor of the user's: a thread for each load of JDK 21 and newer. */
class VirtualThreadsTest {

    private static final int SAMPLES = 400;
    private static final int WAIT = 60;

    /** By reflection, since the tests are compiled for 17. */
    private static ExecutorService virtualThreads() throws ReflectiveOperationException {
        assumeTrue(Runtime.version().feature() >= 21, "this test needs JDK 21");
        return (ExecutorService) Objects.requireNonNull(
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null));
    }

    @Test
    void loads_thatBlockOnVirtualThreads_blockAllAtOnceAndKeepTheOrder() throws Exception {
        ExecutorService executor = virtualThreads();
        Scheduler threads = Schedulers.fromExecutorService(executor);
        CountDownLatch all = new CountDownLatch(SAMPLES);
        List<Integer> names = IntStream.range(0, SAMPLES).boxed().toList();
        ListedDataset<Integer, String> blocking = ListedDataset.of("blocking", names, (Integer name) -> {
                    all.countDown();
                    return name + " " + all.await(WAIT, TimeUnit.SECONDS);
                })
                .loadOn(threads);

        List<String> values = Objects.requireNonNull(
                blocking.stream(Sampler.sequential(), Execution.standard().inFlight(SAMPLES))
                        .map(Sample::value)
                        .collectList()
                        .block(Duration.ofSeconds(2 * WAIT)));

        assertThat(values).isEqualTo(names.stream().map(name -> name + " true").toList());
        threads.dispose();
        executor.shutdown();
    }
}

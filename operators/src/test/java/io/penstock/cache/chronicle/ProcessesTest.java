package io.penstock.cache.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.Lease;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;

/** Several processes on one directory. */
class ProcessesTest {

    private static final int SAMPLES = 600;
    private static final Duration LOOK = Duration.ofMillis(5);
    private static final Path MEMORY = Path.of("/dev/shm");

    @TempDir
    Path directory;

    private static ChronicleOptions options(Path directory, long budget) {
        return ChronicleTier.at(directory).maxBytes(budget).segmentBytes(1 << 20);
    }

    /** Says which samples were loaded. */
    private record Slow(PrintStream out) implements Dataset<Tensor> {
        @Override
        public long size() {
            return SAMPLES;
        }

        @Override
        public Fingerprint fingerprint() {
            return Fingerprint.of("slow");
        }

        @Override
        public Mono<Tensor> get(long index) {
            return Mono.delay(Duration.ofMillis(1)).map(tick -> {
                out.println("load " + index);
                return Tensor.ofBytes(Values.value(index));
            });
        }
    }

    /**
     * Streams two epochs through the cache, and says what was loaded, whether every sample was right and, once it knows of
     * the given number of bytes, how many there are.
     */
    static final class Reader {
        public static void main(String[] arguments) {
            PrintStream out = Child.output();
            AtomicInteger right = new AtomicInteger();
            try (ChronicleTier tier =
                    options(Path.of(arguments[0]), Long.parseLong(arguments[1])).open()) {
                new Slow(out)
                        .cache(tier, Schema.tensor("v")).stream(Sampler.shuffled(Long.parseLong(arguments[2]))
                                        .epochs(2))
                                .doOnNext(sample -> {
                                    byte[] bytes = new byte[sample.value().byteSize()];
                                    sample.value().data().get(0, bytes);
                                    if (java.util.Arrays.equals(
                                            bytes, Values.value(sample.draw().index()))) {
                                        right.incrementAndGet();
                                    }
                                })
                                .blockLast();
                tier.flush().block(Values.TIMEOUT); // what waits to be appended takes no room yet
                awaitUsed(tier, Long.parseLong(arguments[3]));
                out.println("right " + right + " used " + tier.statistics().bytes() + " errors "
                        + tier.statistics().errors());
            }
        }

        /** Misses until then: one that is done before the others have written what they reserved has seen little of it. */
        private static void awaitUsed(ChronicleTier tier, long bytes) {
            long started = System.nanoTime();
            while (tier.statistics().bytes() < bytes && System.nanoTime() - started < Values.TIMEOUT.toNanos()) {
                tier.get(Values.key(SAMPLES)).delaySubscription(LOOK).block();
            }
        }
    }

    /** Takes the lease of a sample, says so, and does nothing. */
    static final class Holder {
        public static void main(String[] arguments) throws IOException {
            PrintStream out = Child.output();
            ChronicleTier tier = options(Path.of(arguments[0]), 64 << 20).open();
            Lease lease = tier.lease(Values.key(7)).block();
            out.println("holds " + (lease != null));
            System.in.read();
            out.println("goes on");
            Values.put(tier, 7);
            lease.release();
            System.in.read();
            System.in.read();
            System.in.read();
            tier.close();
        }
    }

    private static List<String> run(int count, Path directory, long budget, long used)
            throws IOException, InterruptedException {
        List<Child> children = new ArrayList<>();
        List<String> said = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                children.add(Child.start(Reader.class, directory, budget, i, used));
            }
            for (Child child : children) {
                said.addAll(child.rest());
                assertThat(child.exit()).isZero();
            }
        } finally {
            children.forEach(Child::close);
        }
        assertThat(said)
                .filteredOn(line -> line.startsWith("right " + 2 * SAMPLES + " "))
                .hasSize(count);
        return said;
    }

    @Tag("endurance") // two processes do the same over shared memory
    @Test
    void processes_fourAtOnce_loadEachSampleOnceInTotal() throws Exception {
        List<String> said = run(4, directory, 64 << 20, 0);

        assertThat(said)
                .filteredOn(line -> line.startsWith("load "))
                .hasSize(SAMPLES)
                .doesNotHaveDuplicates();
        assertThat(said).filteredOn(line -> line.endsWith(" errors 0")).hasSize(4);
    }

    @Test
    void processes_twoOverSharedMemory_loadEachSampleOnceInTotal() throws Exception {
        assumeTrue(
                Files.isWritable(MEMORY) && Files.getFileStore(MEMORY).getUsableSpace() > 32 << 20,
                "this test needs 32 MiB in " + MEMORY);
        Path shared = Files.createTempDirectory(MEMORY, "penstock-processes");
        try {
            List<String> said = run(2, shared, 64 << 20, 0);

            assertThat(said)
                    .filteredOn(line -> line.startsWith("load "))
                    .hasSize(SAMPLES)
                    .doesNotHaveDuplicates();
            assertThat(said).filteredOn(line -> line.endsWith(" errors 0")).hasSize(2);
        } finally {
            delete(shared);
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** What the killed one had loaded and not appended is loaded again, once; nothing else is, and nobody waits for it. */
    @Tag("endurance") // a lease of a killed process is free
    @Test
    void processes_oneOfThreeKilledWhileLoading_loadAgainOnlyWhatItLost() throws Exception {
        long budget = 64 << 20;
        List<Child> children = new ArrayList<>();
        List<String> byKilled = new ArrayList<>();
        List<String> byOthers = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                children.add(Child.start(Reader.class, directory, budget, i, 0));
            }
            Child killed = children.get(0);
            String line = killed.line();
            while (line != null && byKilled.size() < SAMPLES / 30) {
                byKilled.add(line);
                line = killed.line();
            }
            killed.kill();
            byKilled.add(String.valueOf(line));
            byKilled.addAll(killed.rest());
            for (Child child : children.subList(1, 3)) {
                byOthers.addAll(child.rest());
                assertThat(child.exit()).isZero();
            }
        } finally {
            children.forEach(Child::close);
        }

        List<String> loads =
                byOthers.stream().filter(line -> line.startsWith("load ")).toList();
        assertThat(loads).doesNotHaveDuplicates();
        assertThat(byOthers)
                .filteredOn(line -> line.startsWith("right " + 2 * SAMPLES + " ") && line.endsWith(" errors 0"))
                .hasSize(2);
        Set<String> all = new HashSet<>(loads);
        all.addAll(byKilled.stream().filter(line -> line.matches("load \\d+")).toList());
        assertThat(all).hasSizeGreaterThanOrEqualTo(SAMPLES - 1); // the last line of the killed one may be cut
        assertUsed(byOthers, budget);
        try (ChronicleTier tier = options(directory, budget).open()) {
            assertThat(tier.statistics().samples()).isEqualTo(SAMPLES);
            assertThat(tier.statistics().bytes()).isLessThanOrEqualTo(budget);
        }
    }

    private static void assertUsed(List<String> said, long budget) {
        assertThat(said)
                .filteredOn(line -> line.startsWith("right "))
                .allSatisfy(line ->
                        assertThat(Long.parseLong(line.split(" ", -1)[3])).isBetween(1L, budget));
    }

    @Test
    void processes_twoAtOnce_keepOneBudget() throws Exception {
        long budget = 2 << 20;

        List<String> said = run(2, directory, budget, budget / 2);

        assertThat(said)
                .filteredOn(line -> line.startsWith("right "))
                .allSatisfy(line ->
                        assertThat(Long.parseLong(line.split(" ", -1)[3])).isBetween(budget / 2, budget));
        try (ChronicleTier tier = options(directory, budget).open()) {
            assertThat(tier.statistics().bytes()).isBetween(budget / 2, budget);
        }
    }

    @Test
    void lease_ofAnotherProcess_isWaitedForUntilItsValueIsThere() throws Exception {
        try (ChronicleTier tier = options(directory, 64 << 20).open();
                Child holder = Child.start(Holder.class, directory)) {
            assertThat(holder.line()).isEqualTo("holds true");
            assertWaitsFor(holder, tier);
        }
    }

    /** Until then it has one lock for all keys. */
    @Test
    void lease_ofAProcessThatWasAlone_isWaitedForToo() throws Exception {
        try (Child holder = Child.start(Holder.class, directory)) {
            assertThat(holder.line()).isEqualTo("holds true");
            try (ChronicleTier tier = options(directory, 64 << 20).open()) {
                assertWaitsFor(holder, tier);
            }
        }
    }

    private static void assertWaitsFor(Child holder, ChronicleTier tier) throws IOException {
        AtomicInteger given = new AtomicInteger();
        Mono<Lease> waiting = tier.lease(Values.key(7))
                .doOnNext(lease -> given.incrementAndGet())
                .cache();
        waiting.subscribe();
        assertThat(tier.lease(Values.key(8)).block(Values.TIMEOUT)).isNotNull();
        assertThat(given).hasValue(0);

        holder.goOn();
        Lease lease = waiting.block(Values.TIMEOUT);

        assertThat(Values.get(tier, 7)).isEqualTo(Values.value(7));
        lease.release();
    }

    @Test
    void lease_ofAKilledProcess_isFree() throws Exception {
        try (ChronicleTier tier = options(directory, 64 << 20).open();
                Child holder = Child.start(Holder.class, directory)) {
            assertThat(holder.line()).isEqualTo("holds true");
            Mono<Lease> waiting = tier.lease(Values.key(7)).cache();
            waiting.subscribe();

            holder.kill();
            Lease lease = waiting.block(Values.TIMEOUT);

            assertThat(Values.get(tier, 7)).isNull();
            lease.release();
        }
    }

    @Test
    void lease_cancelledWhileWaiting_isNotKept() {
        try (ChronicleTier tier = options(directory, 64 << 20).open()) {
            Lease first = tier.lease(Values.key(7)).block(Values.TIMEOUT);
            tier.lease(Values.key(7)).subscribe().dispose();

            first.release();
            Lease next = tier.lease(Values.key(7)).block(Values.TIMEOUT);
            next.release();
            next.release();

            assertThat(tier.lease(Values.key(7)).block(Values.TIMEOUT)).isNotNull();
        }
    }
}

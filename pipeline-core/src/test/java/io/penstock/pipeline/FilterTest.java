package io.penstock.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.fault.SampleException;
import io.penstock.fault.StoreException;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.order.internal.Mixing;
import io.penstock.stream.Sample;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Filters, expansions, and the index that both are built from. */
class FilterTest {

    @TempDir
    Path folder;

    /** Sample i has the value i and a state of its own. */
    private static final class Stated implements Dataset<Tensor> {

        final AtomicInteger loads = new AtomicInteger();
        private final String[] states;

        Stated(String... states) {
            this.states = states;
        }

        static Stated of(int size) {
            return new Stated(IntStream.range(0, size).mapToObj(i -> "v1").toArray(String[]::new));
        }

        Stated changed(int index) {
            String[] other = states.clone();
            other[index] = "v2";
            return new Stated(other);
        }

        @Override
        public long size() {
            return states.length;
        }

        @Override
        public Fingerprint fingerprint() {
            return Fingerprint.of(states);
        }

        @Override
        public Mono<Tensor> get(long index) {
            return Mono.fromSupplier(() -> {
                loads.incrementAndGet();
                return Tensor.scalar(index);
            });
        }

        @Override
        public SampleId id(long index) {
            return SampleId.of(
                    SampleKey.of("sample", Long.toString(index), states[(int) index]),
                    () -> "s" + index,
                    () -> List.of(states[(int) index]));
        }
    }

    private static List<Long> values(Pipeline<Tensor> pipeline) {
        return pipeline.stream(Sampler.sequential())
                .map(sample -> sample.value().longAt(0))
                .collectList()
                .block();
    }

    private static <D> D built(Mono<D> dataset) {
        D found = dataset.block();
        assertThat(found).isNotNull();
        return found;
    }

    private static boolean isOdd(Tensor value) {
        return value.longAt(0) % 2 == 1;
    }

    private Indexing kept() {
        return Indexing.keptIn(folder.resolve("index"));
    }

    @Test
    void filter_anyPredicate_keepsNamesAndKeysOfWhatItTakes() {
        FakeDataset source = FakeDataset.jittery(1000);

        Dataset<Tensor> odd = built(source.filter("odd", FilterTest::isOdd));

        assertThat(odd.size()).isEqualTo(500);
        assertThat(values(odd))
                .isEqualTo(LongStream.range(0, 500).map(i -> 2 * i + 1).boxed().toList());
        assertThat(odd.id(3).key()).isEqualTo(source.id(7).key());
        assertThat(odd.name(3)).isEqualTo("#7");
        assertThat(odd.fingerprint())
                .isNotEqualTo(built(source.filter("other", FilterTest::isOdd)).fingerprint());
        assertThat(odd).hasToString(source + "\nfilter odd: 500 of 1,000 samples");
    }

    @Test
    void filter_takesNone_isRefusedUnlessThereAreNone() {
        FakeDataset ten = FakeDataset.immediate(10);

        assertThatThrownBy(() -> built(ten.filter("none", value -> false)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("filter \"none\" takes none of 10 samples; is its predicate right?");
        assertThat(built(FakeDataset.immediate(0).filter("none", value -> false))
                        .size())
                .isZero();
        assertThat(ten.selectIf("none", index -> false).size())
                .as("one of several sources may have none")
                .isZero();
    }

    @ParameterizedTest
    @CsvSource({"1,1", "2,1", "3,1", "4,1", "5,1", "6,1", "7,1", "1,10", "2,10", "3,10", "4,10", "5,10", "6,10", "7,10"
    })
    void filter_onAnyNumberOfRanks_givesEachAsManyAndAllOnce(int ranks, int run) {
        Dataset<Tensor> dropped = built(FakeDataset.immediate(2100)
                .filter(
                        "70 percent, in runs",
                        value -> Mixing.mix(value.longAt(0) / run) >>> 1 < Long.MAX_VALUE / 10 * 7));
        List<Long> all = new ArrayList<>();

        for (int rank = 0; rank < ranks; rank++) {
            dropped.stream(Sampler.shuffled(3).shard(Shard.of(rank, ranks)))
                    .doOnNext(sample -> {
                        if (sample.isPresent()) {
                            all.add(sample.value().longAt(0));
                        }
                    })
                    .count()
                    .doOnNext(count -> assertThat(count).isEqualTo((dropped.size() + ranks - 1) / ranks))
                    .block();
        }

        assertThat(all).hasSize((int) dropped.size()).doesNotHaveDuplicates();
    }

    @Test
    void selectIf_namesAndIndices_loadsNothing() {
        Stated source = Stated.of(100);

        Dataset<Tensor> some =
                source.selectIf("names that end in 7", i -> source.name(i).endsWith("7"));

        assertThat(source.loads).hasValue(0);
        assertThat(values(some)).containsExactly(7L, 17L, 27L, 37L, 47L, 57L, 67L, 77L, 87L, 97L);
    }

    @Test
    void filter_predicateThrows_endsTheBuildOrIsSkipped() {
        Dataset<Tensor> source = Stated.of(10);
        List<SampleException> failures = new ArrayList<>();
        Indexing skipping = kept().onError(ErrorPolicy.skip().quarantine(failures::add));

        assertThatThrownBy(() -> built(source.filter("brittle", FilterTest::brittle)))
                .isInstanceOf(SampleException.class)
                .hasMessageContaining("stage \"filter brittle\" failed on sample 4: s4: IllegalStateException: four");
        Dataset<Tensor> rest = built(source.filter("brittle", FilterTest::brittle, skipping));

        assertThat(values(rest)).containsExactly(0L, 1L, 2L, 3L, 5L, 6L, 7L, 8L, 9L);
        assertThat(failures).hasSize(1);
        assertThatThrownBy(() -> kept().onError(ErrorPolicy.substitute()))
                .hasMessage("an index cannot substitute a sample that fails; skip it or fail");
    }

    private static boolean brittle(Tensor value) {
        if (value.longAt(0) == 4) {
            throw new IllegalStateException("four");
        }
        return true;
    }

    @Test
    void filter_skippedSample_aloneIsExaminedAgain() {
        Stated source = Stated.of(10);
        built(source.filter("brittle", FilterTest::brittle, kept().onError(ErrorPolicy.skip())));

        Stated again = Stated.of(10);
        built(again.filter("brittle", value -> true, kept()));

        assertThat(again.loads).hasValue(1);
    }

    @Test
    void keptIndex_sameData_loadsNothing() {
        built(Stated.of(10_000).filter("odd", FilterTest::isOdd, kept()));

        Stated again = Stated.of(10_000);
        Dataset<Tensor> odd = built(again.filter("odd", FilterTest::isOdd, kept()));

        assertThat(again.loads).hasValue(0);
        assertThat(odd.size()).isEqualTo(5000);
        assertThat(odd.id(4000).name()).isEqualTo("s8001");
    }

    @Test
    void keptIndex_changedAndAddedSamples_areExaminedAlone() {
        built(Stated.of(1000).filter("odd", FilterTest::isOdd, kept()));
        Stated changed = Stated.of(1003).changed(17).changed(400);
        List<Indexing.Progress> told = new ArrayList<>();

        Dataset<Tensor> odd = built(changed.filter("odd", FilterTest::isOdd, kept().progress(told::add)));

        assertThat(changed.loads).hasValue(5);
        assertThat(odd.size()).isEqualTo(501);
        assertThat(told).endsWith(new Indexing.Progress(1003, 998, 1003));
    }

    @Test
    void counts_ofAnyData_areByIndexAndKept() {
        int[] counts = built(Stated.of(1000).counts("digits", FilterTest::digits, kept()));
        Stated changed = Stated.of(1003).changed(17);

        int[] again = built(changed.counts("digits", FilterTest::digits, kept()));

        assertThat(counts).hasSize(1000).startsWith(1, 1).endsWith(3);
        assertThat(again).hasSize(1003).startsWith(1, 1).endsWith(3, 4, 4, 4);
        assertThat(changed.loads).hasValue(4);
        assertThat(built(Stated.of(0).counts("digits", FilterTest::digits, Indexing.inMemory())))
                .isEmpty();
    }

    private static int digits(Tensor value) {
        return Long.toString(Math.abs(value.longAt(0))).length();
    }

    @Test
    void keptIndex_buildStoppedByAnError_goesOnWhereItWas() {
        Stated source = Stated.of(20_000);
        assertThatThrownBy(() -> built(source.filter("to 15000", FilterTest::notYet, kept())))
                .isInstanceOf(SampleException.class);

        Stated again = Stated.of(20_000);
        Dataset<Tensor> all = built(again.filter("to 15000", value -> true, kept()));

        assertThat(again.loads).hasValueLessThan(9_000);
        assertThat(all.size()).isEqualTo(20_000);
        assertThat(files()).hasSize(1);
    }

    private static boolean notYet(Tensor value) {
        if (value.longAt(0) == 15_000) {
            throw new IllegalStateException("stopped");
        }
        return true;
    }

    private List<String> files() {
        try (Stream<Path> files = Files.list(folder.resolve("index"))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.endsWith(".lock"))
                    .toList();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Tag("repeated")
    @Test
    void keptIndex_anyByteDamaged_isRebuiltAndRight() throws IOException {
        built(Stated.of(50).filter("odd", FilterTest::isOdd, kept()));
        Path file = folder.resolve("index").resolve(files().get(0));
        byte[] whole = Files.readAllBytes(file);

        for (int at = 0; at < whole.length; at += Boolean.getBoolean("penstock.endurance") ? 1 : 3) {
            byte[] damaged = whole.clone();
            damaged[at] ^= 0x10;
            Files.write(file, damaged);

            Dataset<Tensor> odd = built(Stated.of(50).filter("odd", FilterTest::isOdd, kept()));

            assertThat(odd.size()).as("byte %d", at).isEqualTo(25);
            assertThat(odd.name(7)).isEqualTo("s15");
        }
    }

    @Test
    void keptIndex_folderIsAFile_isAnErrorThatNamesIt() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "text");

        assertThatThrownBy(() -> built(Stated.of(3).filter("odd", FilterTest::isOdd, Indexing.keptIn(file))))
                .isInstanceOf(StoreException.class)
                .hasMessage("cannot keep an index in " + file + ": there is a file of this name");
    }

    @Test
    void keptIndex_withAFolderInItsPlace_isCountedAgainEachTime() throws IOException {
        built(Stated.of(50).filter("odd", FilterTest::isOdd, kept()));
        Path file = folder.resolve("index").resolve(files().get(0));
        Files.delete(file);
        Files.createDirectories(file.resolve("something"));

        Dataset<Tensor> odd = built(Stated.of(50).filter("odd", FilterTest::isOdd, kept()));

        assertThat(odd.size()).isEqualTo(25);
        assertThat(file).isDirectory();
    }

    @Test
    void keptIndex_twoBuildersAtOnce_loadEachSampleOnce() throws InterruptedException {
        Stated source = Stated.of(5_000);
        CountDownLatch done = new CountDownLatch(2);
        Set<Long> sizes = ConcurrentHashMap.newKeySet();

        for (int i = 0; i < 2; i++) {
            new Thread(() -> {
                        sizes.add(built(source.filter("odd", FilterTest::isOdd, kept()))
                                .size());
                        done.countDown();
                    })
                    .start();
        }

        assertThat(done.await(300, TimeUnit.SECONDS)).isTrue();
        assertThat(sizes).containsExactly(2_500L);
        assertThat(source.loads).hasValue(5_000);
    }

    @Test
    void keptIndex_moreBuildersThanThreads_allEnd() {
        int builders = Schedulers.DEFAULT_BOUNDED_ELASTIC_SIZE + 4;

        List<Long> sizes = Flux.range(0, builders)
                .flatMap(i -> FakeDataset.blocking(30).filter("of " + i, FilterTest::isOdd, kept()), builders)
                .map(Dataset::size)
                .collectList()
                .block();

        assertThat(sizes).hasSize(builders).containsOnly(15L);
    }

    private Disposable building(Dataset<Tensor> source) {
        return source.filter("odd", FilterTest::isOdd, kept()).subscribe();
    }

    private static Set<Thread> builders() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("penstock-index"))
                .collect(Collectors.toSet());
    }

    /** What was cancelled holds the folder until it has ended, so the next build there tells that it has. */
    @Test
    void keptIndex_cancelledAtAnyTime_leavesTheFolderToTheNext() throws InterruptedException {
        for (int round = 0; round < 60; round++) {
            Disposable building = building(FakeDataset.silent(10));
            Disposable waiting = building(FakeDataset.silent(10));
            Thread.sleep(round % 20);
            building.dispose();
            waiting.dispose();

            assertThat(built(Stated.of(10).filter("odd", FilterTest::isOdd, kept()))
                            .size())
                    .isEqualTo(5);
        }
        for (Thread builder : builders()) {
            builder.join();
        }
    }

    @Test
    void keptIndex_cancelledWhileItWaits_endsAtOnce() throws InterruptedException {
        CountDownLatch open = new CountDownLatch(1);
        Disposable building = building(FakeDataset.answering(10, index -> {
            open.countDown();
            return Mono.never();
        }));
        open.await();
        Set<Thread> others = builders();
        Disposable waiting = building(Stated.of(10));
        Set<Thread> own = builders();
        own.removeAll(others);

        waiting.dispose();
        for (Thread waiter : own) {
            waiter.join(Duration.ofSeconds(30).toMillis());
        }

        assertThat(own).hasSize(1).allMatch(waiter -> !waiter.isAlive());
        building.dispose();
        for (Thread builder : builders()) {
            builder.join();
        }
    }

    @Test
    void keptIndex_cancelledInAFunction_holdsTheFolderUntilThatEnds() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Disposable building = Stated.of(10)
                .filter("odd", FilterTest::isOdd, kept().progress(progress -> {
                    begun.countDown();
                    awaited(end);
                }))
                .subscribe();
        begun.await();

        building.dispose();
        Set<Thread> others = builders();
        CompletableFuture<Dataset<Tensor>> next =
                Stated.of(10).filter("odd", FilterTest::isOdd, kept()).toFuture();
        Set<Thread> own = builders();
        own.removeAll(others);
        while (!next.isDone() && own.stream().noneMatch(builder -> builder.getState() == Thread.State.WAITING)) {
            Thread.onSpinWait();
        }
        assertThat(next).isNotDone();
        end.countDown();

        assertThat(next.join().size()).isEqualTo(5);
    }

    private static void awaited(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            LockSupport.parkNanos(1_000_000); // also when interrupted
        }
    }

    @Test
    void expand_fixed_isEveryPartInOrder() {
        FakeDataset source = FakeDataset.jittery(3);

        Dataset<String> parts = source.expand("halves", 2, (value, part) -> value.longAt(0) + "/" + part);

        assertThat(parts.stream(Sampler.sequential())
                        .map(Sample::value)
                        .collectList()
                        .block())
                .containsExactly("0/0", "0/1", "1/0", "1/1", "2/0", "2/1");
        assertThat(parts.name(3)).isEqualTo("#1[1]");
        assertThat(LongStream.range(0, 6).mapToObj(i -> parts.id(i).key()).distinct())
                .hasSize(6);
        assertThatThrownBy(() -> source.expand("none", 0, (value, part) -> part))
                .hasMessage("a sample must have at least 1 part, was 0");
    }

    @Test
    void expand_varying_leavesOutSamplesWithoutParts() {
        Stated source = Stated.of(6);

        Dataset<String> parts = built(source.expand(
                "triangle", value -> (int) value.longAt(0) % 4, (value, part) -> value.longAt(0) + "/" + part, kept()));

        List<String> expected = List.of("1/0", "2/0", "2/1", "3/0", "3/1", "3/2", "5/0");
        assertThat(parts.stream(Sampler.sequential())
                        .map(Sample::value)
                        .collectList()
                        .block())
                .isEqualTo(expected);
        Stated again = Stated.of(6);
        assertThat(built(again.expand("triangle", value -> 1, (value, part) -> part, kept()))
                        .size())
                .isEqualTo(7);
        assertThat(again.loads).hasValue(0);
        assertThatThrownBy(() -> built(source.expand("bad", value -> -1, (value, part) -> part, Indexing.inMemory())))
                .hasMessageContaining("a sample cannot have -1 parts");
    }
}

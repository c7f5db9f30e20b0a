package io.penstock.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.pipeline.Samples;
import io.penstock.stream.Execution;
import io.penstock.stream.Sample;
import io.penstock.stream.ShuffleBuffer;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

class CommitsTest {

    private static final int ELEMENTS = 2_000;

    /** An element of the source, and the random number that its augmentation drew. */
    private record Item(long id, long dice) {}

    private static final Schema<Item> SCHEMA = Schema.of(Item.class);

    /** What a run stored: where the source goes on, and the number of the first element there. */
    private record Saved(long offset, long number) {}

    private static final Saved START = new Saved(0, 0);

    private final List<Saved> saved = new ArrayList<>();

    private void save(long offset, long number) {
        saved.add(new Saved(offset, number));
    }

    /** Offsets are ten times the number of an element. */
    private static Flux<Item> source(long offset) {
        return Flux.generate(() -> offset / 10, (id, sink) -> {
            if (id == ELEMENTS) {
                sink.complete();
            } else {
                sink.next(new Item(id, 0));
            }
            return id + 1;
        });
    }

    private static Long behind(Item item) {
        return item.id() * 10 + 10;
    }

    private static Flux<Sample<Item>> augmented(Flux<Item> items, long number, Execution execution) {
        return items.transform(Samples.numbered(42, number))
                .transform(Samples.on(execution))
                .transform(Samples.augment("dice", (item, random) -> new Item(item.id(), random.nextLong())));
    }

    private static ShuffleBuffer<Item> buffer(int shuffle, long number) {
        return ShuffleBuffer.<Item>of(shuffle, 7).resumeAt(number);
    }

    private Flux<Batch> batches(Saved from, int shuffle, int n, Execution execution) {
        ShuffleBuffer<Item> buffer = buffer(Math.max(1, shuffle), from.number());
        Commits<Long> commits = shuffle > 0
                ? Commits.at(from.offset(), buffer, this::save)
                : Commits.at(from.offset(), from.number(), this::save);
        Flux<Item> items = source(from.offset()).transform(commits.offsets(CommitsTest::behind));
        return augmented(shuffle > 0 ? items.transform(buffer) : items, from.number(), execution)
                .transform(Batches.of(n, SCHEMA))
                .transform(commits.onClose());
    }

    private Flux<Batch> batches(int n) {
        return batches(START, 0, n, Execution.standard());
    }

    private static List<Item> items(Batch batch) {
        Tensor ids = batch.tensor("id");
        Tensor dice = batch.tensor("dice");
        return IntStream.range(0, batch.size())
                .mapToObj(row -> new Item(ids.longAt(row), dice.longAt(row)))
                .toList();
    }

    private static List<Item> uninterrupted(int shuffle) {
        return augmented(shuffle > 0 ? source(0).transform(buffer(shuffle, 0)) : source(0), 0, Execution.standard())
                .map(Sample::value)
                .collectList()
                .block();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 5, 50})
    void run_killedAndResumed_losesAndRepeatsNothingCommitted(int shuffle) {
        List<Item> whole = uninterrupted(shuffle);
        Random random = new Random(shuffle);
        Saved at = START;
        long delivered = 0;

        for (int run = 0; run < 100 && delivered < ELEMENTS; run++) {
            saved.clear();
            List<Item> seen = new ArrayList<>();
            int last = 1 + random.nextInt(6);
            List<Batch> unclosed = new ArrayList<>();
            Execution execution = Execution.standard().inFlight(1 + random.nextInt(20));

            batches(at, shuffle, 1 + random.nextInt(15), execution)
                    .index()
                    .takeUntil(batch -> {
                        seen.addAll(items(batch.getT2()));
                        unclosed.add(batch.getT2());
                        if (batch.getT1() + 1 < last) { // the last is not closed before the run is killed
                            unclosed.remove(random.nextInt(unclosed.size())).close();
                        }
                        return batch.getT1() + 1 == last;
                    })
                    .blockLast();
            unclosed.forEach(Batch::close);

            int first = (int) at.number();
            assertThat(seen).isEqualTo(whole.subList(first, first + seen.size()));
            delivered = first + (long) seen.size();
            at = saved.isEmpty() ? at : saved.get(saved.size() - 1);
        }

        assertThat(delivered).isGreaterThanOrEqualTo(1_000);
        assertThat(at.number()).isBetween(delivered - 100 - 2L * shuffle, delivered);
    }

    @Test
    void batches_closedInOrder_areCommittedOneByOne() {
        batches(500).doOnNext(Batch::close).blockLast();

        assertThat(saved)
                .containsExactly(
                        new Saved(5_000, 500),
                        new Saved(10_000, 1_000),
                        new Saved(15_000, 1_500),
                        new Saved(20_000, 2_000));
    }

    @Test
    void batch_closedBeforeOneBeforeIt_waitsForThat() {
        List<Batch> held = batches(900).collectList().block();

        held.get(2).close();
        held.get(1).close();
        assertThat(saved).isEmpty();
        held.get(0).close();
        held.get(0).close();

        assertThat(saved).containsExactly(new Saved(20_000, 2_000));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 10, 100})
    void shuffled_offset_isThatOfTheOldestElementLeft(int shuffle) {
        List<Item> whole = uninterrupted(shuffle);

        batches(START, shuffle, 10, Execution.standard()).doOnNext(Batch::close).blockLast();

        assertThat(saved).hasSizeGreaterThan(100 - shuffle / 10);
        assertThat(saved).allSatisfy(commit -> {
            Set<Long> gone = whole.stream().limit(commit.number()).map(Item::id).collect(Collectors.toSet());
            long oldest = LongStream.range(0, ELEMENTS)
                    .filter(id -> !gone.contains(id))
                    .findFirst()
                    .orElseThrow();
            assertThat(commit.offset()).isEqualTo(oldest * 10);
        });
        // where the source ended decided the order of the last
        assertThat(saved.get(saved.size() - 1).number())
                .isBetween((long) ELEMENTS - shuffle - 10, (long) ELEMENTS - shuffle);
    }

    @Test
    void failureOfACommit_isThrownByClose_andTheNextCommitsMore() {
        Commits<Long> commits = Commits.at(0L, 0, (offset, number) -> {
            if (number == 500) {
                throw new IllegalStateException("no broker");
            }
            save(offset, number);
        });
        List<Batch> held = augmented(source(0).transform(commits.offsets(CommitsTest::behind)), 0, Execution.standard())
                .transform(Batches.of(500, SCHEMA).slots(4))
                .transform(commits.onClose())
                .collectList()
                .block();

        assertThatThrownBy(held.get(0)::close).hasMessage("no broker");
        held.get(1).close();

        assertThat(saved).containsExactly(new Saved(10_000, 1_000));
    }

    @Test
    void close_afterACancel_commitsNothing() {
        List<Batch> held = new ArrayList<>();

        StepVerifier.create(batches(100).doOnNext(held::add), 2)
                .expectNextCount(2)
                .then(() -> held.get(0).close())
                .thenCancel()
                .verify();
        held.get(1).close();

        assertThat(saved).containsExactly(new Saved(1_000, 100));
    }

    @Test
    void closes_onManyThreads_commitInOrder() throws InterruptedException {
        ExecutorService closers = Executors.newFixedThreadPool(4);
        CountDownLatch all = new CountDownLatch(ELEMENTS / 4);

        batches(4)
                .doOnNext(batch -> closers.execute(() -> {
                    batch.close();
                    all.countDown();
                }))
                .blockLast();

        assertThat(all.await(300, TimeUnit.SECONDS)).isTrue();
        closers.shutdown();
        assertThat(closers.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        assertThat(saved).extracting(Saved::number).isSorted().doesNotHaveDuplicates();
        assertThat(saved.get(saved.size() - 1)).isEqualTo(new Saved(20_000, 2_000));
    }

    @Test
    void secondSubscription_isAnError() {
        Flux<Item> items = source(0).transform(Commits.at(0L, 0, this::save).offsets(CommitsTest::behind));
        items.take(1).blockLast();

        assertThatThrownBy(() -> items.blockLast()).hasMessageContaining("one subscription");
    }

    @Test
    void numbersThatNoElementHas_areAnError() {
        Commits<Long> commits = Commits.at(0L, 0, this::save);
        Flux<Batch> batches = augmented(
                        source(0).transform(commits.offsets(CommitsTest::behind)), 1_000, Execution.standard())
                .transform(Batches.of(1_500, SCHEMA))
                .transform(commits.onClose());

        assertThatThrownBy(() -> batches.doOnNext(Batch::close).blockLast())
                .hasMessageContaining("cannot commit number 2500");
    }

    @Test
    void batches_thatAreNeverClosed_areAnError() {
        Commits<Long> commits = Commits.at(0L, 0, this::save);
        Batch batch = batches(1).next().block();

        StepVerifier.create(
                        Flux.just(batch).repeat().transform(commits.onClose()).count())
                .expectErrorSatisfies(e -> assertThat(e).hasMessageContaining("close every batch"))
                .verify();
    }

    @Test
    void batches_withoutDemand_readNothing() {
        List<Long> read = new ArrayList<>();
        Commits<Long> commits = Commits.at(0L, 0, this::save);
        Flux<Batch> batches = augmented(
                        source(0).transform(commits.offsets(item -> {
                            read.add(item.id());
                            return behind(item);
                        })),
                        0,
                        Execution.standard().inFlight(4))
                .transform(Batches.of(5, SCHEMA).slots(2).consumeOn(Schedulers.immediate()))
                .transform(commits.onClose());

        StepVerifier.create(batches, 0)
                .expectSubscription()
                .then(() -> assertThat(read).isEmpty())
                .thenRequest(1)
                .assertNext(Batch::close)
                .then(() -> assertThat(read.size()).isLessThanOrEqualTo(4 + 3 * 5))
                .thenCancel()
                .verify();
    }
}

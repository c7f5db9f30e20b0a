package io.penstock.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fault.FormatException;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.publisher.TestPublisher;
import reactor.util.context.Context;

/** What {@link SingleFlightTest} cannot time. */
class SingleFlightLoadTest {

    private static final int RACES = 20_000;

    private static final String KEY = "key";

    private final SingleFlight<String, Integer> owner = new SingleFlight<>();
    private final Keeps work = new Keeps();
    private final SingleFlight.Load<Integer> load = load();

    private static final class Keeps implements SingleFlight.Work<Integer> {
        private @Nullable Mono<?> keeping;
        private int ended;

        @Override
        public Mono<Integer> begin() {
            return Mono.never();
        }

        @Override
        public void joined() {}

        @Override
        public @Nullable Mono<?> loaded(Integer value) {
            return keeping;
        }

        @Override
        public void ended() {
            ended++;
        }
    }

    private SingleFlight.Load<Integer> load() {
        return new SingleFlight.Load<>(owner, KEY, work, Context.empty());
    }

    private static final class Seen extends BaseSubscriber<Integer> {
        final SingleFlight.Waiter<Integer> waiter = new SingleFlight.Waiter<>(this);
        volatile int value;

        Seen() {
            onSubscribe(waiter);
        }

        @Override
        protected void hookOnNext(Integer next) {
            value = next;
        }
    }

    @Test
    void add_afterAllHaveLeft_isRefused() {
        Seen only = new Seen();
        assertThat(load.add(only.waiter)).isTrue();

        only.cancel();

        assertThat(owner.completed()).isOne();
        assertThat(load.add(new Seen().waiter)).isFalse();
    }

    @Test
    void add_ofACancelledWaiter_removesItAgain() {
        TestPublisher<Integer> source = TestPublisher.create();
        Seen gone = new Seen();
        gone.cancel();

        assertThat(load.add(gone.waiter)).isTrue();
        source.mono().subscribe(load);

        assertThat(owner.completed()).isOne();
        source.assertCancelled();
    }

    @Test
    void add_afterTheEnd_tellsTheOutcome() {
        Seen first = new Seen();
        load.add(first.waiter);
        Mono.just(7).subscribe(load);
        Seen late = new Seen();

        assertThat(load.add(late.waiter)).isTrue();

        assertThat(first.value).isEqualTo(7);
        assertThat(late.value).isEqualTo(7);
        assertThat(owner.completed()).isOne();
    }

    @Test
    void onError_afterAllHaveLeft_isDropped() {
        TestPublisher<Integer> source = TestPublisher.createNoncompliant(TestPublisher.Violation.CLEANUP_ON_TERMINATE);
        Seen only = new Seen();
        load.add(only.waiter);
        source.mono().subscribe(load);
        only.cancel();

        source.error(new FormatException("not a JPEG"));

        assertThat(owner.completed()).isOne();
        assertThat(only.isDisposed()).isTrue();
    }

    @Test
    void onNext_ofWhatIsKeptLater_waitsForThat() {
        TestPublisher<Boolean> kept = TestPublisher.create();
        work.keeping = kept.mono();
        Seen only = new Seen();
        load.add(only.waiter);

        Mono.just(7).subscribe(load);
        assertThat(only.value).isZero();
        assertThat(work.ended).isZero();
        kept.emit(true);

        assertThat(only.value).isEqualTo(7);
        assertThat(work.ended).isPositive();
        assertThat(owner.completed()).isOne();
    }

    @Test
    void cancel_whileTheValueIsKept_cancelsThat() {
        TestPublisher<Boolean> kept = TestPublisher.create();
        work.keeping = kept.mono();
        Seen only = new Seen();
        load.add(only.waiter);
        Mono.just(7).subscribe(load);

        only.cancel();

        kept.assertCancelled();
        assertThat(work.ended).isPositive();
        assertThat(owner.completed()).isOne();
    }

    private record Race(
            SingleFlight.Load<Integer> load,
            TestPublisher<Integer> source,
            Seen leaving,
            Seen joining,
            AtomicBoolean joined) {}

    private Race race() {
        Race race = new Race(load(), TestPublisher.create(), new Seen(), new Seen(), new AtomicBoolean());
        race.load.add(race.leaving.waiter);
        race.source.mono().subscribe(race.load);
        return race;
    }

    /** One joins while the only waiter leaves: it is refused, or told. */
    @Test
    void add_whileTheOnlyOneLeaves_isRefusedOrTold() throws Exception {
        CyclicBarrier together = new CyclicBarrier(2);
        List<Race> races = Stream.generate(this::race).limit(RACES).toList();
        var left = Mono.fromCallable(() -> {
                    for (Race race : races) {
                        together.await();
                        race.leaving.cancel();
                    }
                    return true;
                })
                .subscribeOn(Schedulers.boundedElastic())
                .toFuture();

        for (Race race : races) {
            together.await();
            race.joined.set(race.load.add(race.joining.waiter));
        }

        assertThat(left.get()).isTrue();
        for (Race race : races) {
            assertThat(race.source.wasCancelled()).as("abandoned").isNotEqualTo(race.joined.get());
            race.source.emit(7);
            assertThat(race.joining.value).isEqualTo(race.joined.get() ? 7 : 0);
        }
    }
}

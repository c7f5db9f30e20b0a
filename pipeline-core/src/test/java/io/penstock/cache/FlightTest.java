package io.penstock.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fault.FormatException;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.publisher.TestPublisher;
import reactor.util.context.Context;

/** What {@link FlightsTest} cannot time. */
class FlightTest {

    private static final int RACES = 20_000;

    private final AtomicInteger ends = new AtomicInteger();
    private final Flight<Integer> flight = flight();

    private Flight<Integer> flight() {
        return new Flight<>(Context.empty(), ended -> ends.incrementAndGet());
    }

    private static final class Seen extends BaseSubscriber<Integer> {
        final Flight.Passenger<Integer> passenger = new Flight.Passenger<>(this);
        volatile int value;

        Seen() {
            onSubscribe(passenger);
        }

        @Override
        protected void hookOnNext(Integer next) {
            value = next;
        }
    }

    @Test
    void board_afterAllHaveLeft_isRefused() {
        Seen only = new Seen();
        assertThat(flight.board(only.passenger)).isTrue();

        only.cancel();

        assertThat(ends).hasValue(1);
        assertThat(flight.board(new Seen().passenger)).isFalse();
    }

    @Test
    void board_whoHasCancelledMeanwhile_leavesAgain() {
        TestPublisher<Integer> load = TestPublisher.create();
        Seen gone = new Seen();
        gone.cancel();

        assertThat(flight.board(gone.passenger)).isTrue();
        load.mono().subscribe(flight);

        assertThat(ends).hasValue(1);
        load.assertCancelled();
    }

    @Test
    void board_afterTheEnd_isToldTheOutcome() {
        Seen first = new Seen();
        flight.board(first.passenger);
        Mono.just(7).subscribe(flight);
        Seen late = new Seen();

        assertThat(flight.board(late.passenger)).isTrue();

        assertThat(first.value).isEqualTo(7);
        assertThat(late.value).isEqualTo(7);
        assertThat(ends).hasValue(1);
    }

    @Test
    void onError_afterAllHaveLeft_isDropped() {
        TestPublisher<Integer> load = TestPublisher.createNoncompliant(TestPublisher.Violation.CLEANUP_ON_TERMINATE);
        Seen only = new Seen();
        flight.board(only.passenger);
        load.mono().subscribe(flight);
        only.cancel();

        load.error(new FormatException("not a JPEG"));

        assertThat(ends).hasValue(1);
        assertThat(only.isDisposed()).isTrue();
    }

    private record Race(
            Flight<Integer> flight, TestPublisher<Integer> load, Seen leaving, Seen boarding, AtomicBoolean boarded) {}

    private Race race() {
        Race race = new Race(flight(), TestPublisher.create(), new Seen(), new Seen(), new AtomicBoolean());
        race.flight.board(race.leaving.passenger);
        race.load.mono().subscribe(race.flight);
        return race;
    }

    /** One boards while the other, till then the only one, leaves: it is refused, or told. */
    @Test
    void board_whileTheOnlyOneLeaves_isRefusedOrTold() throws Exception {
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
            race.boarded.set(race.flight.board(race.boarding.passenger));
        }

        assertThat(left.get()).isTrue();
        for (Race race : races) {
            assertThat(race.load.wasCancelled()).as("given up").isNotEqualTo(race.boarded.get());
            race.load.emit(7);
            assertThat(race.boarding.value).isEqualTo(race.boarded.get() ? 7 : 0);
        }
    }
}

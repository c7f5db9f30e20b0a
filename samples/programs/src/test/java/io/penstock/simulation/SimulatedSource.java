package io.penstock.simulation;

import io.penstock.cache.Fingerprint;
import io.penstock.pipeline.Dataset;
import java.util.concurrent.TimeUnit;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** Storage that all processes read: it answers now or later, counts what it does, and fails where told. */
final class SimulatedSource implements Dataset<Item> {

    private final Scenario scenario;
    private final SimulatedScheduler scheduler;
    private final Dice dice;
    private final int[] completed;
    private final int[] failures;
    private int underWay;

    SimulatedSource(Scenario scenario, SimulatedScheduler scheduler, Dice dice) {
        this.scenario = scenario;
        this.scheduler = scheduler;
        this.dice = dice;
        this.completed = new int[scenario.samples()];
        this.failures = new int[scenario.samples()];
    }

    /** How many loads have begun and neither ended nor been cancelled. */
    int underWay() {
        return underWay;
    }

    int completed(int index) {
        return completed[index];
    }

    @Override
    public long size() {
        return scenario.samples();
    }

    @Override
    public Fingerprint fingerprint() {
        return Fingerprint.of("simulated source");
    }

    @Override
    public Mono<Item> get(long index) {
        return dice.chance(scenario.asynchronous()) ? later(index) : Mono.fromCallable(() -> load(index));
    }

    private Mono<Item> later(long index) {
        return Mono.create(sink -> {
            underWay++;
            boolean[] ended = {false};
            Disposable timer = scheduler.schedule(
                    () -> {
                        ended[0] = true;
                        underWay--;
                        Item item;
                        try {
                            item = load(index);
                        } catch (Throwable e) {
                            sink.error(e);
                            return;
                        }
                        sink.success(item);
                    },
                    dice.below(100_000),
                    TimeUnit.NANOSECONDS);
            sink.onDispose(() -> {
                if (!ended[0]) {
                    ended[0] = true;
                    underWay--;
                    timer.dispose();
                }
            });
        });
    }

    private Item load(long index) {
        failWhere(Scenario.Place.LOAD, index);
        completed[(int) index]++;
        return Item.loaded(index);
    }

    /** Fails a sample that is broken at this place, for ever or until it was tried often enough. */
    void failWhere(Scenario.Place place, long index) {
        if (place != scenario.place() || !scenario.broken().contains(index)) {
            return;
        }
        boolean mends = scenario.policy() == Scenario.Policy.RETRY;
        if (!mends || failures[(int) index]++ < Scenario.FAILURES_BEFORE_SUCCESS) {
            throw scenario.fault().raise();
        }
    }
}

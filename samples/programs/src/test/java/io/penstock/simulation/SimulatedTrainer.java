package io.penstock.simulation;

import io.penstock.batch.Batch;
import io.penstock.order.Position;
import io.penstock.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;

/** A rank's consumer: asks for batches, keeps some for a while, closes them in any order, and may leave. */
final class SimulatedTrainer extends BaseSubscriber<Batch> {

    private final SimulatedScheduler scheduler;
    private final Dice dice;
    private final int mayHold;
    private final int leavesAfter;
    private final List<List<Item>> received = new ArrayList<>();
    private final List<Position> positions = new ArrayList<>();
    private final List<Long> epochs = new ArrayList<>();
    private final Set<Integer> ends = new HashSet<>();
    private final List<Batch> held = new ArrayList<>();
    private long asked;
    private boolean busy;
    private boolean completed;
    private boolean left;
    private @Nullable Throwable failure;

    /**
     * @param mayHold     how many batches it keeps open at most
     * @param leavesAfter the number of batches after which it cancels
     */
    SimulatedTrainer(SimulatedScheduler scheduler, Dice dice, int mayHold, int leavesAfter) {
        this.scheduler = scheduler;
        this.dice = dice;
        this.mayHold = mayHold;
        this.leavesAfter = leavesAfter;
    }

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
        if (leavesAfter == 0) {
            scheduler.schedule(this::leave);
        }
        scheduler.schedule(this::ask);
    }

    private void ask() {
        if (left) {
            return;
        }
        long more = dice.chance(0.1) ? Long.MAX_VALUE : dice.between(1, 3);
        asked = asked + more < 0 ? Long.MAX_VALUE : asked + more;
        request(more);
    }

    @Override
    protected void hookOnNext(Batch batch) {
        check(!busy, "two signals at once");
        check(!completed && failure == null, "a batch behind the end");
        check(received.size() < asked, "more batches than were asked for");
        busy = true;
        if (batch.endsEpoch()) {
            ends.add(received.size());
        }
        received.add(rows(batch));
        positions.add(batch.next());
        epochs.add(batch.epoch());
        held.add(batch);
        if (received.size() == leavesAfter) {
            if (dice.chance(0.5)) {
                leave();
            } else {
                scheduler.schedule(this::leave);
            }
        }
        while (held.size() > dice.below(mayHold + 1)) {
            closeOne();
        }
        if (!held.isEmpty()) {
            scheduler.schedule(this::closeOne);
        }
        if (received.size() == asked) {
            if (dice.chance(0.3)) {
                ask();
            } else {
                scheduler.schedule(this::ask);
            }
        }
        busy = false;
    }

    private void leave() {
        left = true;
        cancel();
    }

    private void closeOne() {
        if (!held.isEmpty()) {
            held.remove(dice.below(held.size())).close();
        }
    }

    private static List<Item> rows(Batch batch) {
        Tensor index = batch.tensor("index");
        Tensor stages = batch.tensor("stages");
        Tensor rolled = batch.tensor("dice");
        List<Item> rows = new ArrayList<>();
        for (int row = 0; row < batch.size(); row++) {
            rows.add(new Item(index.longAt(row), stages.longAt(row), rolled.longAt(row)));
        }
        return rows;
    }

    private static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalStateException(otherwise);
        }
    }

    @Override
    protected void hookOnComplete() {
        check(!completed && failure == null, "two ends");
        completed = true;
    }

    @Override
    protected void hookOnError(Throwable thrown) {
        check(!completed && failure == null, "two ends");
        failure = thrown;
    }

    List<List<Item>> received() {
        return received;
    }

    /** The numbers of the batches that said they were the last of their epoch. */
    Set<Integer> ends() {
        return ends;
    }

    /** Where a run goes on behind the batch of this number. */
    Position behind(int batch) {
        return positions.get(batch);
    }

    long epoch(int batch) {
        return epochs.get(batch);
    }

    boolean completed() {
        return completed;
    }

    boolean hasLeft() {
        return left;
    }

    @Nullable Throwable failure() {
        return failure;
    }
}

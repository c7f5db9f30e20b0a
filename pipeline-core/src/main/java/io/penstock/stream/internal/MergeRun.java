package io.penstock.stream.internal;

import io.penstock.internal.Begun;
import io.penstock.internal.DrainLoop;
import io.penstock.internal.Thrown;
import io.penstock.order.Draw;
import io.penstock.stream.Execution;
import io.penstock.stream.Sample;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Scheduler;
import reactor.util.context.Context;

/**
 * One subscription to a stream: begins draws in order, up to a window ahead, and delivers them in order or as loaded.
 *
 * <p>Reactor's {@code flatMapSequential} does the same on the thread that subscribes, for 90 ns a sample at hand. Here
 * a sample at hand is passed on as it is, and {@link Pace} decides which thread begins the next one.
 *
 * <p>Draws are numbered. {@code begun <= turn + slots} holds at all times; {@link Turns} tells the turn, which is the
 * first draw that was not delivered. The draw of number k has the slot k mod capacity, which is empty before the turn
 * passes k. So a thread that begins a draw finds its slot empty. The thread that advances {@code begun} owns those
 * draws and fills their slots: with the sample, a {@link Begun.Failed}, or a {@link Load} that will have one of them. A
 * {@link DrainLoop} serialises delivery.
 */
final class MergeRun<T> implements Subscription, Scannable, Runnable {

    @SuppressWarnings("rawtypes")
    private static final AtomicLongFieldUpdater<MergeRun> REQUESTED =
            AtomicLongFieldUpdater.newUpdater(MergeRun.class, "requested");

    @SuppressWarnings("rawtypes")
    private static final AtomicLongFieldUpdater<MergeRun> BEGUN =
            AtomicLongFieldUpdater.newUpdater(MergeRun.class, "begun");

    /** The draining thread looks ahead if the stream waited for a draw of this number of recent windows. */
    private static final int WINDOWS_REMEMBERED = 4;

    private final OrderedMerge.Loader loader;
    private final Supply supply;
    private final Execution execution;
    private final Pace pace;
    private final CoreSubscriber<? super Sample<T>> actual;
    final Context context;
    private final DrainLoop loop = new DrainLoop();
    private final AtomicInteger runners = new AtomicInteger();
    private final LoadWindow window;
    private final Turns turns;
    private final Slots<Object> slots;

    private volatile long requested;
    private volatile long begun;

    private volatile boolean stopped; // cancelled or terminated
    private volatile boolean terminated;
    private volatile @Nullable Throwable failure;
    private volatile long lastWaitedFor = Long.MIN_VALUE / 2;

    MergeRun(
            OrderedMerge.Loader loader,
            int groupSize,
            Supply supply,
            Execution execution,
            LoadWindow window,
            CoreSubscriber<? super Sample<T>> actual) {
        this.loader = loader;
        this.supply = supply;
        this.execution = execution;
        this.pace = new Pace(execution, groupSize);
        this.actual = actual;
        this.context = Workers.in(actual.currentContext(), execution);
        this.window = window;
        this.turns = Turns.of(supply, window, execution);
        this.slots = new Slots<>((int) Math.max(1, Math.min(turns.slots(), supply.count())));
        window.slots(slots.capacity());
    }

    @Override
    public void request(long n) {
        if (n > 0) {
            Operators.addCap(REQUESTED, this, n);
        } else {
            failure = new IllegalArgumentException("§3.9 violated: request must be positive, was " + n);
        }
        drain();
    }

    @Override
    public void cancel() {
        stopped = true;
        Thrown.dropping(context, supply::stop);
        slots.forEach(Load::cancel); // at once; the draining thread discards what is left
        drain();
    }

    void drain() {
        if (!loop.enter()) {
            return;
        }
        do {
            try {
                if (!stopped) {
                    deliver();
                }
            } catch (Throwable e) { // the subscriber threw, which it must not; the stream still has to end
                if (stopped) {
                    Operators.onErrorDropped(e, context);
                } else {
                    end(Thrown.signal(e));
                }
            }
            if (stopped) {
                forgetAll();
            }
        } while (!loop.leave());
    }

    /**
     * Empties the slots, and cancels every load found there: another thread that cancels may come too late to see it.
     * Only the draining thread does, or a sample could be delivered and discarded.
     */
    private void forgetAll() {
        Thrown.dropping(context, supply::stop);
        slots.clear(outcome -> {
            Load.cancel(outcome);
            if (Load.outcome(outcome) instanceof Sample<?> sample) {
                Operators.onDiscard(sample, context);
            }
        });
    }

    /** Delivers the samples that are ready and requested, then begins further draws. */
    private void deliver() {
        long asked = requested;
        long count = supply.count();
        long delivered = 0;
        turns.lookAgain();
        while (!stopped) {
            long number = turns.now();
            if (failure != null || number >= count) {
                end(failure != null ? failure : supply.failure());
                return;
            }
            if (delivered == asked) {
                break;
            }
            Object ready = ready(number, asked - delivered);
            if (ready == null && turns.goesAhead()) {
                number = turns.ready(slots, begun);
                ready = number < 0 ? null : outcome(number);
            }
            if (ready == null) {
                break;
            }
            window.left(number);
            if (ready instanceof Begun.Failed failure) {
                end(failure.cause());
                return;
            }
            delivered++;
            @SuppressWarnings("unchecked")
            Sample<T> sample = turns.deliver(number, (Sample<T>) ready);
            actual.onNext(sample);
            if ((delivered & 7) == 0 && pace.onWorkers()) {
                launchRunners();
            }
        }
        if (delivered != 0 && asked != Long.MAX_VALUE) {
            REQUESTED.addAndGet(this, -delivered);
        }
        if (asked != 0 && !stopped) {
            window.delivered(turns.now(), delivered < asked);
            supply.delivered(turns.now());
            lookAhead();
        }
    }

    /** Takes the outcome of the next draw out of its slot, after beginning the draw here if no thread has; or null. */
    private @Nullable Object ready(long number, long asked) {
        if (slots.get(number) == null) {
            long first = begun; // less than the number if an earlier run delivered what lies between
            if (first > number || pace.onWorkers()) {
                return null;
            }
            beginHere(first, number - first + Math.min(pace.group(), asked));
        }
        return outcome(number);
    }

    private @Nullable Object outcome(long number) {
        Object outcome = Load.outcome(slots.get(number));
        if (outcome != null) {
            slots.setLazily(number, null);
        }
        return outcome;
    }

    /** Begins the next draws on this thread, as many as fit by now, unless another thread has. Whether there were any. */
    private boolean beginHere(long number, long max) {
        int samples = (int) Math.min(max, limit() - number);
        boolean some = samples > 0 && BEGUN.compareAndSet(this, number, number + samples);
        if (some) {
            begin(number, samples);
        }
        return some;
    }

    /** Begins draws that the calling thread owns, and puts their outcomes into their slots. */
    private void begin(long first, int samples) {
        try {
            beginEach(first, samples);
        } catch (Throwable e) { // slots stay empty, so nothing else would end the stream
            breakOff(e);
        }
    }

    /** Ends the stream with a failure that is no draw's outcome; from any thread. */
    void breakOff(Throwable thrown) {
        failure = Thrown.signal(thrown);
        drain();
    }

    private void beginEach(long first, int samples) {
        Scheduler clock = execution.workers(); // its clock, which a simulation sets
        long started = clock.now(TimeUnit.NANOSECONDS);
        Draw[] drawn = new Draw[samples];
        Object[] begun = new Object[samples];
        int from = supply.take(first, drawn, begun) ? 0 : samples;
        while (from < samples && !stopped) {
            int to = from;
            while (to < samples && !drawn[to].isPadding() && !turns.skips(first + to)) {
                to++;
            }
            if (to == from) {
                if (turns.skips(first + from)) {
                    loaded(first + from, Begun.ABSENT, 0);
                } else {
                    hold(first + from, Sample.absent(drawn[from]));
                }
                from++;
            } else {
                boolean all = from == 0 && to == samples;
                beginReal(
                        first + from,
                        all ? drawn : Arrays.copyOfRange(drawn, from, to),
                        all ? begun : Arrays.copyOfRange(begun, from, to));
                from = to;
            }
        }
        supply.discard(drawn, begun, from);
        pace.took(clock.now(TimeUnit.NANOSECONDS) - started, samples);
    }

    private void beginReal(long first, Draw[] drawn, Object[] outcomes) {
        loader.beginAll(drawn, outcomes);
        for (int i = 0; i < drawn.length; i++) {
            Object begunHere = outcomes[i];
            if (begunHere instanceof Mono<?> mono) {
                lastWaitedFor = first + i;
                begunHere = new Load<>(this, first + i, drawn[i], mono);
            } else if (!(begunHere instanceof Begun.Failed)) {
                begunHere = begunHere == Begun.ABSENT ? Sample.absent(drawn[i]) : Sample.of(drawn[i], begunHere);
            }
            hold(first + i, begunHere);
        }
    }

    /** Puts a draw's outcome where the draining thread finds it, and only then starts waiting for it. */
    private void hold(long number, Object outcome) {
        if (!(outcome instanceof Load<?> load)) {
            loaded(number, outcome, 0);
            slots.setLazily(number, outcome); // the caller drains next
            return;
        }
        slots.set(number, load);
        load.start(window.begins(number));
        if (stopped) {
            load.cancel();
            slots.set(number, null);
        }
    }

    private long limit() {
        long next = turns.now();
        return Math.min(Math.min(supply.available(), turns.limit()), window.limit(next));
    }

    /**
     * Called when a draw has its outcome, before the draining thread can see it.
     * @param began when its load did, if that is measured; or 0
     */
    void loaded(long number, Object outcome, long began) {
        try {
            window.came(number, outcome, began);
        } catch (Throwable e) { // the user's function
            failure = Thrown.signal(e);
        }
    }

    private boolean isRoomFrom(long number) {
        return pace.isRoom(limit() - number, number - turns.now(), supply.count() - number);
    }

    /** Keeps the window full: by the workers, or here if the stream has waited for loads lately. */
    private void lookAhead() {
        if (pace.onWorkers()) {
            launchRunners();
            return;
        }
        long remembered = (long) WINDOWS_REMEMBERED * window.size();
        long number = begun;
        while (isRoomFrom(number) && number - lastWaitedFor < remembered && !pace.onWorkers() && !stopped) {
            beginHere(number, pace.group());
            number = begun;
            if (turns.goesAhead()) {
                drain(); // once more after this: samples at hand need not wait for their turn
            }
        }
        if (pace.onWorkers()) {
            launchRunners();
        }
    }

    private void launchRunners() {
        while (!stopped && pace.onWorkers()) {
            int running = runners.get();
            boolean enough = running == 0 ? isRoomFrom(begun) : limit() - begun >= (running + 1L) * pace.block();
            if (!enough || running >= execution.parallelism()) {
                return;
            }
            if (runners.compareAndSet(running, running + 1)) {
                try {
                    execution.workers().schedule(this);
                } catch (Throwable e) { // the pool was disposed of, or gets no thread
                    runners.decrementAndGet();
                    breakOff(e);
                    return;
                }
            }
        }
    }

    /** A worker: takes blocks of draws and begins them until the window is full. */
    @Override
    public void run() {
        for (long first = begun; !stopped && failure == null && pace.onWorkers() && isRoomFrom(first); first = begun) {
            if (beginHere(first, pace.block())) {
                drain();
            }
        }
        runners.decrementAndGet();
        drain(); // slots that became free since then need a runner, or the draining thread
    }

    private void end(@Nullable Throwable cause) {
        failure = cause;
        terminated = true;
        stopped = true;
        forgetAll();
        if (cause == null) {
            actual.onComplete();
        } else {
            actual.onError(cause);
        }
    }

    @Override
    @SuppressWarnings("rawtypes") // as Reactor declares it
    public @Nullable Object scanUnsafe(Attr key) {
        if (key == Attr.PARENT) {
            return supply.upstream();
        }
        if (key == Attr.ACTUAL) {
            return actual;
        }
        if (key == Attr.REQUESTED_FROM_DOWNSTREAM) {
            return requested;
        }
        if (key == Attr.BUFFERED) {
            return (int) Math.max(0, begun - turns.now());
        }
        if (key == Attr.TERMINATED) {
            return terminated;
        }
        if (key == Attr.CANCELLED) {
            return stopped && !terminated;
        }
        return key == Attr.ERROR ? failure : key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : null;
    }
}

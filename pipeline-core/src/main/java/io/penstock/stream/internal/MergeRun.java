package io.penstock.stream.internal;

import io.penstock.internal.Begun;
import io.penstock.internal.Thrown;
import io.penstock.order.Draw;
import io.penstock.order.Draws;
import io.penstock.stream.Execution;
import io.penstock.stream.ReadAhead;
import io.penstock.stream.Sample;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * One subscription to a stream: begins draws in order, up to a window ahead, and delivers them in order.
 *
 * <p>Reactor's {@code flatMapSequential} does the same with an inner subscriber and a queue a sample, on whichever thread
 * subscribes; it costs about 90 ns a sample that is at hand, and never moves work to the workers by itself. Here a
 * sample at hand is passed on as it is, and {@link Pace} decides who begins the next one.
 *
 * <p>Draws are numbered. {@code emitted <= begun <= emitted + inFlight} holds at all times; the draw of number k has the
 * slot k mod capacity, which is empty again before {@code emitted} passes it, so nobody who may begin a draw finds its
 * slot taken. Whoever advances {@code begun} owns those draws and fills their slots, with the sample, a {@link Begun.Failed},
 * or a {@link Load} that will have one of them. Delivering is serialised by {@code wip}: whoever takes it from 0 drains,
 * everyone else leaves word by raising it.
 */
final class MergeRun<T> implements Subscription, Scannable, Runnable {

    @SuppressWarnings("rawtypes")
    private static final AtomicLongFieldUpdater<MergeRun> REQUESTED =
            AtomicLongFieldUpdater.newUpdater(MergeRun.class, "requested");

    @SuppressWarnings("rawtypes")
    private static final AtomicLongFieldUpdater<MergeRun> BEGUN =
            AtomicLongFieldUpdater.newUpdater(MergeRun.class, "begun");

    @SuppressWarnings("rawtypes")
    private static final AtomicLongFieldUpdater<MergeRun> EMITTED =
            AtomicLongFieldUpdater.newUpdater(MergeRun.class, "emitted");

    @SuppressWarnings("rawtypes")
    private static final AtomicIntegerFieldUpdater<MergeRun> WIP =
            AtomicIntegerFieldUpdater.newUpdater(MergeRun.class, "wip");

    @SuppressWarnings("rawtypes")
    private static final AtomicIntegerFieldUpdater<MergeRun> RUNNERS =
            AtomicIntegerFieldUpdater.newUpdater(MergeRun.class, "runners");

    /** The stream looks ahead on the draining thread while one of this many windows' last draws had to be waited for. */
    private static final int WINDOWS_REMEMBERED = 4;

    private final OrderedMerge.Loader loader;
    private final Draws draws;
    private final long count;
    private final Execution execution;
    private final @Nullable ReadAheadBytes<T> held;
    private final Pace pace;
    private final CoreSubscriber<? super Sample<T>> actual;
    private final Context context;
    private final AtomicReferenceArray<@Nullable Object> slots;
    private final int mask;

    private volatile long requested;
    private volatile long begun;
    private volatile long emitted;

    @SuppressWarnings("UnusedVariable") // through its updater
    private volatile int wip;

    private volatile int runners;
    private volatile boolean cancelled;
    private volatile @Nullable Throwable broken;
    private volatile long lastWaitedFor = Long.MIN_VALUE / 2;

    MergeRun(
            OrderedMerge.Loader loader,
            Draws draws,
            Execution execution,
            @Nullable ReadAhead<? super T> readAhead,
            CoreSubscriber<? super Sample<T>> actual) {
        this.loader = loader;
        this.draws = draws;
        this.count = draws.count();
        this.execution = execution;
        this.pace = new Pace(execution);
        this.actual = actual;
        this.context = Workers.in(actual.currentContext(), execution);
        int most = (int) Math.max(1, Math.min(execution.inFlight(), count));
        int capacity = Integer.highestOneBit(Math.max(2, most * 2 - 1));
        this.slots = new AtomicReferenceArray<>(capacity);
        this.mask = capacity - 1;
        this.held = readAhead == null ? null : new ReadAheadBytes<>(readAhead, capacity);
    }

    @Override
    public void request(long n) {
        if (n > 0) {
            Operators.addCap(REQUESTED, this, n);
        } else {
            broken = new IllegalArgumentException("§3.9 violated: request must be positive, was " + n);
        }
        drain();
    }

    @Override
    public void cancel() {
        cancelled = true;
        forgetAll();
        drain();
    }

    void drain() {
        if (WIP.getAndIncrement(this) != 0) {
            return;
        }
        int missed = 1;
        do {
            try {
                if (!cancelled) {
                    deliver();
                }
            } catch (Throwable e) { // the subscriber threw, which it must not; the stream still has to end
                if (cancelled) {
                    Operators.onErrorDropped(e, context);
                } else {
                    fail(Thrown.signal(e));
                }
            }
            if (cancelled) {
                forgetAll();
            }
            missed = WIP.addAndGet(this, -missed);
        } while (missed != 0);
    }

    /** Empties the slots, and cancels every load found there: another thread that cancels may come too late to see it. */
    private void forgetAll() {
        for (int slot = 0; slot <= mask; slot++) {
            if (slots.getAndSet(slot, null) instanceof Load<?> load) {
                load.cancel();
            }
        }
    }

    /** Delivers what is ready and asked for, then sees to it that what comes next is begun. */
    private void deliver() {
        long asked = requested;
        long delivered = 0;
        long number = emitted;
        while (!cancelled) {
            if (broken != null) {
                fail(broken);
                return;
            }
            if (number == count) {
                cancelled = true;
                actual.onComplete();
                return;
            }
            if (delivered == asked) {
                break;
            }
            Object ready = ready(number, asked - delivered);
            if (ready == null) {
                break;
            }
            number++;
            EMITTED.lazySet(this, number);
            if (held != null) {
                held.left(number - 1);
            }
            if (ready instanceof Begun.Failed failure) {
                fail(failure.cause());
                return;
            }
            delivered++;
            @SuppressWarnings("unchecked")
            Sample<T> sample = (Sample<T>) ready;
            actual.onNext(sample);
            if ((delivered & 7) == 0 && pace.onWorkers()) {
                launchRunners();
            }
        }
        if (delivered != 0 && asked != Long.MAX_VALUE) {
            REQUESTED.addAndGet(this, -delivered);
        }
        if (asked != 0 && !cancelled) {
            lookAhead();
        }
    }

    /** The sample or failure of the next draw, taken out of its slot; begun here if that is nobody else's; or null. */
    private @Nullable Object ready(long number, long asked) {
        int slot = (int) number & mask;
        Object held = slots.get(slot);
        if (held == null) {
            if (begun != number || pace.onWorkers()) {
                return null;
            }
            beginHere(number, (int) Math.min(pace.group(), asked));
            held = slots.get(slot);
        }
        Object outcome = held instanceof Load<?> load ? load.outcome : held;
        if (outcome != null) {
            slots.lazySet(slot, null);
        }
        return outcome;
    }

    /** Begins the next draws on this thread, as many as fit, if nobody else has begun them. */
    private void beginHere(long number, int most) {
        int samples = (int) Math.min(most, limit() - number);
        if (samples > 0 && BEGUN.compareAndSet(this, number, number + samples)) {
            begin(number, samples);
        }
    }

    /** Begins draws that are the calling thread's, and puts what comes of them into their slots. */
    private void begin(long first, int samples) {
        try {
            beginEach(first, samples);
        } catch (Throwable e) { // slots stay empty, so nothing else would end the stream
            breakOff(e);
        }
    }

    /** Ends the stream with what cannot be told by a draw's outcome; from any thread. */
    private void breakOff(Throwable thrown) {
        broken = Thrown.signal(thrown);
        drain();
    }

    private void beginEach(long first, int samples) {
        long started = now();
        Draw[] drawn = new Draw[samples];
        for (int i = 0; i < samples; i++) {
            drawn[i] = draws.at(first + i);
        }
        int from = 0;
        while (from < samples && !cancelled) {
            int to = from;
            while (to < samples && !drawn[to].isPadding()) {
                to++;
            }
            if (to == from) {
                hold(first + from, Sample.absent(drawn[from]));
                from++;
            } else {
                beginReal(first + from, from == 0 && to == samples ? drawn : Arrays.copyOfRange(drawn, from, to));
                from = to;
            }
        }
        pace.took(now() - started, samples);
    }

    /** The clock of the workers, which a simulation sets. */
    private long now() {
        return execution.workers().now(TimeUnit.NANOSECONDS);
    }

    private void beginReal(long first, Draw[] drawn) {
        Object[] outcomes = new Object[drawn.length];
        loader.beginAll(drawn, outcomes);
        for (int i = 0; i < drawn.length; i++) {
            Object begunHere = outcomes[i];
            if (begunHere instanceof Mono<?> mono) {
                lastWaitedFor = first + i;
                hold(first + i, new Load<>(this, first + i, drawn[i], mono));
            } else if (begunHere instanceof Begun.Failed) {
                hold(first + i, begunHere);
            } else {
                hold(first + i, begunHere == Begun.ABSENT ? Sample.absent(drawn[i]) : Sample.of(drawn[i], begunHere));
            }
        }
    }

    /** Puts a draw's outcome where the draining thread finds it, and only then starts waiting for it. */
    private void hold(long number, Object outcome) {
        int slot = (int) number & mask;
        if (!(outcome instanceof Load<?> load)) {
            loaded(number, outcome);
            slots.lazySet(slot, outcome); // whoever put it there drains next
            return;
        }
        slots.set(slot, load);
        load.start();
        if (cancelled) {
            load.cancel();
            slots.set(slot, null);
        }
    }

    private long limit() {
        long next = emitted;
        long most = Math.min(count, next + execution.inFlight());
        return held == null ? most : Math.min(most, Math.max(next + 1, held.limit()));
    }

    /** A draw has come to a sample or a failure, which now waits to be delivered. */
    void loaded(long number, Object outcome) {
        if (held != null) {
            try {
                held.came(number, outcome);
            } catch (Throwable e) { // the user's function
                broken = Thrown.signal(e);
            }
        }
    }

    /** Keeps the window full: by the workers, or here where loads have lately had to be waited for. */
    private void lookAhead() {
        if (pace.onWorkers()) {
            launchRunners();
            return;
        }
        long remembered = (long) WINDOWS_REMEMBERED * execution.inFlight();
        long number = begun;
        while (number < limit() && number - lastWaitedFor < remembered && !pace.onWorkers() && !cancelled) {
            beginHere(number, pace.group());
            number = begun;
        }
        if (pace.onWorkers()) {
            launchRunners();
        }
    }

    private void launchRunners() {
        while (!cancelled && pace.onWorkers()) {
            int running = runners;
            long available = limit() - begun;
            boolean enough = running == 0 ? available > 0 : available >= (running + 1L) * pace.block();
            if (!enough || running >= execution.parallelism()) {
                return;
            }
            if (RUNNERS.compareAndSet(this, running, running + 1)) {
                try {
                    execution.workers().schedule(this);
                } catch (Throwable e) { // the pool was disposed of under the stream, or gets no thread
                    RUNNERS.decrementAndGet(this);
                    breakOff(e);
                    return;
                }
            }
        }
    }

    /** A worker: takes blocks of draws and begins them until the window is full. */
    @Override
    public void run() {
        while (!cancelled && broken == null && pace.onWorkers()) {
            long first = begun;
            int samples = (int) Math.min(pace.block(), limit() - first);
            if (samples <= 0) {
                break;
            }
            if (BEGUN.compareAndSet(this, first, first + samples)) {
                begin(first, samples);
                drain();
            }
        }
        RUNNERS.decrementAndGet(this);
        drain(); // what was freed since we looked needs a runner, or the draining thread
    }

    private void fail(Throwable cause) {
        cancelled = true;
        forgetAll();
        actual.onError(cause);
    }

    /** What an operator behind it, or a debugger, may ask: that it has no parent says that it is the source. */
    @Override
    @SuppressWarnings("rawtypes")
    public @Nullable Object scanUnsafe(Attr key) {
        return key == Attr.ACTUAL
                ? actual
                : key == Attr.CANCELLED
                        ? (Object) cancelled
                        : key == Attr.REQUESTED_FROM_DOWNSTREAM ? (Object) requested : null;
    }

    Context context() {
        return context;
    }
}

package io.penstock.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;

/**
 * One thread that stands for many: each step runs one task, chosen at random among those that some thread could run now.
 *
 * <p>Tasks of one {@link Worker} run in the order they came. All other tasks run in any order. Time is virtual: it moves a
 * little each time it is read and between steps, and jumps to the next timer when nothing else is left.
 */
final class SimulatedScheduler implements Scheduler {

    private final Dice dice;
    private final long meanReadNanos;
    private final List<Lane> lanes = new ArrayList<>();
    private final List<Timer> timers = new ArrayList<>();
    private long nanos = 1;
    private long trace;

    /** What one thread has before it. A task without a worker has a lane of its own. */
    private static final class Lane {
        final Deque<Task> tasks = new ArrayDeque<>();
    }

    private record Timer(long due, Lane lane, Task task) {}

    private static final class Task implements Disposable {
        final Runnable action;
        boolean disposed;

        Task(Runnable action) {
            this.action = action;
        }

        @Override
        public void dispose() {
            disposed = true;
        }

        @Override
        public boolean isDisposed() {
            return disposed;
        }
    }

    /** @param meanReadNanos how far the clock moves on average when it is read: what work seems to cost */
    SimulatedScheduler(Dice dice, long meanReadNanos) {
        this.dice = dice;
        this.meanReadNanos = meanReadNanos;
    }

    /** Runs one task; false if none is left, now or later. */
    boolean step() {
        nanos += dice.chance(0.001) ? TimeUnit.SECONDS.toNanos(20) : dice.below(2_000); // a pause of the machine
        releaseDueTimers();
        while (lanes.isEmpty() && !timers.isEmpty()) {
            nanos = Math.max(nanos, timers.stream().mapToLong(Timer::due).min().orElseThrow());
            releaseDueTimers();
        }
        if (lanes.isEmpty()) {
            return false;
        }
        int chosen = dice.below(lanes.size());
        Lane lane = lanes.get(chosen);
        Task task = lane.tasks.remove();
        if (lane.tasks.isEmpty()) {
            lanes.remove(chosen);
        }
        trace = trace * 31 + chosen * 131L + lanes.size();
        if (!task.disposed) {
            task.action.run();
        }
        return true;
    }

    private void releaseDueTimers() {
        for (int i = 0; i < timers.size(); i++) {
            Timer timer = timers.get(i);
            if (timer.due <= nanos) {
                timers.remove(i--);
                add(timer.lane, timer.task);
            }
        }
    }

    private void add(Lane lane, Task task) {
        if (task.disposed) {
            return;
        }
        if (lane.tasks.isEmpty()) {
            lanes.add(lane);
        }
        lane.tasks.add(task);
    }

    /** A hash of every choice made so far: equal for equal runs. */
    long trace() {
        return trace;
    }

    private Disposable enqueue(Lane lane, Runnable action, long delayNanos) {
        Task task = new Task(action);
        if (delayNanos <= 0) {
            add(lane, task);
        } else {
            timers.add(new Timer(nanos + delayNanos, lane, task));
        }
        return task;
    }

    @Override
    public Disposable schedule(Runnable task) {
        return enqueue(new Lane(), task, 0);
    }

    @Override
    public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
        return enqueue(new Lane(), task, unit.toNanos(delay));
    }

    @Override
    public Disposable schedulePeriodically(Runnable task, long initialDelay, long period, TimeUnit unit) {
        throw new UnsupportedOperationException("no stream schedules periodically");
    }

    @Override
    public long now(TimeUnit unit) {
        nanos += dice.below((int) (2 * meanReadNanos));
        return unit.convert(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public Worker createWorker() {
        return new Worker() {
            private final Lane lane = new Lane();
            private boolean disposed;

            @Override
            public Disposable schedule(Runnable task) {
                return schedule(task, 0, TimeUnit.NANOSECONDS);
            }

            @Override
            public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
                if (disposed) {
                    throw new RejectedExecutionException("the simulated worker was disposed of");
                }
                return enqueue(lane, task, unit.toNanos(delay));
            }

            @Override
            public void dispose() {
                disposed = true;
                lane.tasks.forEach(Task::dispose);
            }

            @Override
            public boolean isDisposed() {
                return disposed;
            }
        };
    }
}

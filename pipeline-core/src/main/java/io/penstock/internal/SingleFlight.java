package io.penstock.internal;

import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Loads under way, one for each key. A caller that wants a key that is being loaded waits for that load. The load goes on
 * while a caller waits for it, and is cancelled when the last one cancels.
 *
 * <p>Reactor's {@code replay(1).refCount()} between two peeks does the same with some eight objects and a queue for each load.
 * That is a lot beside a record of 1 KiB.
 */
public final class SingleFlight<K, T> {

    private final ConcurrentMap<K, Load<T>> underWay = new ConcurrentHashMap<>();
    private final AtomicLong completed = new AtomicLong();

    /** By a part of the hash, the number of the last load that has ended. */
    private final AtomicLongArray lastEnded = new AtomicLongArray(1 << 10);

    /** How many loads have ended. */
    public long completed() {
        return completed.get();
    }

    /** Whether a load of this key may have ended since so many had: false is certain, and true is rare without one. */
    public boolean mayHaveEnded(K key, long since) {
        return lastEnded.get(part(key)) > since;
    }

    private int part(Object key) {
        int hash = key.hashCode();
        return (hash ^ hash >>> 16) & lastEnded.length() - 1;
    }

    /** How many loads are under way, about. */
    public int underWay() {
        return underWay.size();
    }

    /** One load: what begins it, and what becomes of it. */
    public interface Work<T> {

        /** Begins it, on the thread that subscribes. */
        Mono<T> begin();

        /** Called instead if another caller's load is joined. */
        void joined();

        /** Called with the value before the callers get it. Null, or what they and the end have to wait for. */
        @Nullable Mono<?> loaded(T value);

        /** Called when it has ended or was cancelled, before the callers learn of it; more than once perhaps. */
        void ended();
    }

    private record Plain<T>(Supplier<Mono<T>> load, Runnable whenJoined) implements Work<T> {

        @Override
        public Mono<T> begin() {
            return load.get();
        }

        @Override
        public void joined() {
            whenJoined.run();
        }

        @Override
        public @Nullable Mono<?> loaded(T value) {
            return null;
        }

        @Override
        public void ended() {}
    }

    /**
     * The value of a load of a key: of the one under way, or else of a new one.
     * @param work gives a load to each subscriber
     */
    public Mono<T> join(K key, Supplier<? extends Work<T>> work) {
        return new Mono<>() {
            @Override
            public void subscribe(CoreSubscriber<? super T> actual) {
                Waiter<T> waiter = new Waiter<>(actual);
                actual.onSubscribe(waiter);
                join(key, work.get(), waiter);
            }
        };
    }

    /**
     * As {@link #join(Object, Supplier)}.
     * @param load   begins one, on the thread that subscribes
     * @param joined called if another caller's load is joined
     */
    public Mono<T> join(K key, Supplier<Mono<T>> load, Runnable joined) {
        return join(key, () -> new Plain<>(load, joined));
    }

    /** As {@link #join(Object, Supplier, Runnable)}, but a load that has begun goes on when all have cancelled. */
    public Mono<T> joinToEnd(K key, Supplier<Mono<T>> load) {
        return Mono.defer(() -> join(key, load, () -> {}).cache());
    }

    /** Whether a load of a key is under way. */
    public boolean isUnderWay(K key) {
        return underWay.containsKey(key);
    }

    private void join(K key, Work<T> work, Waiter<T> waiter) {
        while (!waiter.isCancelled()) {
            Load<T> own = new Load<>(this, key, work, waiter.currentContext());
            Load<T> other = underWay.putIfAbsent(key, own);
            if (other == null && own.add(waiter)) {
                try {
                    work.begin().subscribe(own);
                } catch (Throwable e) {
                    own.onError(e); // others may wait for it
                }
                return;
            }
            if (other != null && other.add(waiter)) {
                work.joined();
                return;
            }
            underWay.remove(key, other == null ? own : other); // abandoned, and not yet removed
        }
    }

    private void ended(Load<T> load) {
        lastEnded.accumulateAndGet(part(load.key), completed.incrementAndGet(), Math::max);
        underWay.remove(load.key, load);
    }

    /**
     * One load and its waiters. Waiters are added until it has completed or all have left; one that comes later gets the
     * outcome. When the last one leaves before the end, the load is cancelled and takes no more waiters.
     */
    static final class Load<T> implements CoreSubscriber<T> {

        @SuppressWarnings("rawtypes")
        private static final AtomicReferenceFieldUpdater<Load, Subscription> UPSTREAM =
                AtomicReferenceFieldUpdater.newUpdater(Load.class, Subscription.class, "upstream");

        @SuppressWarnings("rawtypes")
        private static final AtomicReferenceFieldUpdater<Load, Waiter[]> WAITERS =
                AtomicReferenceFieldUpdater.newUpdater(Load.class, Waiter[].class, "waiters");

        private static final Waiter<?>[] NONE_YET = {};
        private static final Waiter<?>[] COMPLETED = {};
        private static final Waiter<?>[] ABANDONED = {};

        private final SingleFlight<?, T> owner;
        private final Object key;
        private final Work<T> work;
        private final Context context;
        private @Nullable T value;
        private @Nullable Throwable failure;
        private boolean keeping;
        private volatile Waiter<?>[] waiters = NONE_YET;

        @SuppressWarnings("UnusedVariable") // through its updater
        private volatile @Nullable Subscription upstream;

        Load(SingleFlight<?, T> owner, Object key, Work<T> work, Context context) {
            this.owner = owner;
            this.key = key;
            this.work = work;
            this.context = context;
        }

        /** Whether the waiter will get the outcome, or has it; not if all others have left. */
        boolean add(Waiter<T> waiter) {
            waiter.load = this;
            while (true) {
                Waiter<?>[] now = waiters;
                if (now == ABANDONED) {
                    return false;
                }
                if (now == COMPLETED) {
                    waiter.tell(value, failure);
                    return true;
                }
                Waiter<?>[] then = Arrays.copyOf(now, now.length + 1);
                then[now.length] = waiter;
                if (WAITERS.compareAndSet(this, now, then)) {
                    if (waiter.isCancelled()) {
                        remove(waiter); // its cancellation may have found no load to leave
                    }
                    return true;
                }
            }
        }

        void remove(Waiter<?> waiter) {
            while (true) {
                Waiter<?>[] now = waiters;
                Waiter<?>[] rest =
                        Arrays.stream(now).filter(other -> other != waiter).toArray(Waiter<?>[]::new);
                if (rest.length == now.length) {
                    return; // has left before, or all have the outcome
                }
                Waiter<?>[] then = rest.length == 0 ? ABANDONED : rest;
                if (WAITERS.compareAndSet(this, now, then)) {
                    if (then == ABANDONED) {
                        owner.ended(this);
                        Operators.terminate(UPSTREAM, this);
                        work.ended();
                    }
                    return;
                }
            }
        }

        @Override
        public Context currentContext() {
            return context;
        }

        @Override
        public void onSubscribe(Subscription s) {
            if (Operators.setOnce(UPSTREAM, this, s)) {
                s.request(Long.MAX_VALUE);
            }
        }

        @Override
        public void onNext(T next) {
            value = next;
            try {
                Mono<?> later = work.loaded(next);
                if (later != null) {
                    keeping = true;
                    later.subscribe(new Keeping<>(this));
                }
            } catch (Throwable e) {
                keeping = false;
                failure = Thrown.signal(e);
            }
        }

        @Override
        public void onComplete() {
            if (!keeping) {
                complete();
            }
        }

        @Override
        public void onError(Throwable e) {
            if (waiters == ABANDONED) {
                Operators.onErrorDropped(e, context);
                return;
            }
            failure = Thrown.signal(e);
            complete();
        }

        @SuppressWarnings("unchecked") // only its own waiters are added
        private void complete() {
            work.ended();
            owner.ended(this);
            for (Waiter<?> waiter : WAITERS.getAndSet(this, COMPLETED)) {
                ((Waiter<T>) waiter).tell(value, failure);
            }
        }
    }

    /** What the end of a load waits for once it has its value. */
    private record Keeping<T>(Load<T> load) implements CoreSubscriber<Object> {

        @Override
        public Context currentContext() {
            return load.context;
        }

        @Override
        public void onSubscribe(Subscription s) {
            if (Operators.replace(Load.UPSTREAM, load, s)) {
                s.request(Long.MAX_VALUE);
            }
        }

        @Override
        public void onNext(Object told) {}

        @Override
        public void onError(Throwable e) {
            load.onError(e);
        }

        @Override
        public void onComplete() {
            load.complete();
        }
    }

    /** A caller that waits for a load. It gets the outcome once there is demand. */
    static final class Waiter<T> extends ToldSubscriber<T> {

        private volatile @Nullable Load<T> load;

        Waiter(CoreSubscriber<? super T> actual) {
            super(actual);
        }

        @Override
        public void cancel() {
            super.cancel();
            Load<T> joined = load;
            if (joined != null) {
                joined.remove(this);
            }
        }

        /** The value is the other waiters' too. */
        @Override
        protected void discard(@Nullable T shared) {}
    }
}

package io.penstock.internal;

import java.util.concurrent.Callable;
import java.util.function.Supplier;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;

/**
 * What a stage returns when it begins a sample: the value itself, {@link #ABSENT}, a cold {@code Mono} of the value,
 * or, where several draws begin at once, a {@link Failed}.
 *
 * <p>A {@code Mono} a stage costs more than a RAM hit does, so a value at hand is passed as it is. No common type holds
 * these four without an allocation. Therefore they travel as {@code Object}, and only this class tells them apart.
 */
public final class Begun {

    /** Stands for a sample that is skipped, and for a key that no tier holds. */
    public static final Object ABSENT = new Object();

    /** Stands for a draw that failed, where its value would stand. */
    public record Failed(Throwable cause) {}

    /** A {@code Mono} of which it is known only once it is begun whether it has its value at once. */
    public static final class Deferred<T> extends Mono<T> {

        private final Supplier<Mono<T>> begin;

        /** @param begin is asked at each subscription, or by {@link Begun#of} in place of one */
        public Deferred(Supplier<Mono<T>> begin) {
            this.begin = begin;
        }

        @Override
        public void subscribe(CoreSubscriber<? super T> actual) {
            Mono.defer(begin).subscribe(actual);
        }
    }

    private Begun() {}

    /** The outcome of a draw whose begin threw this. */
    public static Failed failed(Throwable thrown) {
        return new Failed(Thrown.signal(thrown));
    }

    /** An outcome that is no failure, as a {@code Mono}. */
    @SuppressWarnings("unchecked") // the stage that returned it is of this type
    public static <T> Mono<T> toMono(Object outcome) {
        if (outcome instanceof Mono<?> mono) {
            return (Mono<T>) mono;
        }
        return outcome == ABSENT ? Mono.empty() : Mono.just((T) outcome);
    }

    /**
     * The value of a {@code Mono} that has it on this thread now, {@link #ABSENT} if that one is empty, else a Mono to
     * subscribe to once.
     */
    public static Object of(Mono<?> mono) {
        if (mono instanceof Deferred<?> deferred) {
            return of(deferred.begin.get());
        }
        if (mono instanceof Callable<?> callable) {
            try {
                Object value = callable.call();
                return value == null ? ABSENT : value;
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw Exceptions.propagate(e);
            }
        }
        return mono;
    }
}

package io.penstock.pipeline;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.WithOrigin;
import io.penstock.internal.Arguments;
import io.penstock.internal.Span;
import io.penstock.internal.Spans;
import io.penstock.internal.StageMeter;
import io.penstock.internal.Thrown;
import io.penstock.order.Draw;
import io.penstock.order.internal.CounterRandom;
import io.penstock.order.internal.Mixing;
import io.penstock.tensor.Codec;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.LongToIntFunction;

/** One or several of a user's functions of (value, draw): neighbouring stages run in one call, without a hop. */
sealed interface StageFunction<A, B> {

    B apply(A value, Draw draw);

    Fingerprint fingerprint();

    void report(RunStatistics.Tally tally);

    default <C> StageFunction<A, C> then(StageFunction<B, C> next) {
        return new Chain<>(this, next, fingerprint().with(next.fingerprint()));
    }

    static <A, B> StageFunction<A, B> map(
            String stage, Function<? super A, ? extends B> fn, LongFunction<SampleId> ids) {
        return new Named<>("map", stage, (value, draw) -> fn.apply(value), ids);
    }

    static <A> StageFunction<A, A> augment(String stage, RandomTransform<A> transform, LongFunction<SampleId> ids) {
        long hash = Mixing.hash(stage);
        return new Named<>(
                "augment",
                stage,
                (value, draw) -> transform.apply(
                        value, CounterRandom.of(draw.seed(), draw.epoch(), draw.index(), draw.turn(), hash)),
                ids);
    }

    /**
     * Makes a part of a sample.
     * @param parts the part that an index stands for
     */
    static <A, B> StageFunction<A, B> expand(
            String stage,
            BiFunction<? super A, Integer, ? extends B> fn,
            LongToIntFunction parts,
            LongFunction<SampleId> ids) {
        return new Named<>("expand", stage, (value, draw) -> fn.apply(value, parts.applyAsInt(draw.index())), ids);
    }

    /** Keeps what a value was made of beside it. */
    record Keeping<A>(Codec<A> codec) implements StageFunction<A, WithOrigin<A>> {

        @Override
        public WithOrigin<A> apply(A value, Draw draw) {
            return new WithOrigin<>(value, () -> WithOrigin.encode(value, codec));
        }

        @Override
        public Fingerprint fingerprint() {
            return Fingerprint.of();
        }

        @Override
        public void report(RunStatistics.Tally tally) {}
    }

    /** A function of the value, beside which its origin stays. */
    record OfValue<A, B>(StageFunction<A, B> function) implements StageFunction<WithOrigin<A>, WithOrigin<B>> {

        @Override
        public WithOrigin<B> apply(WithOrigin<A> input, Draw draw) {
            return new WithOrigin<>(function.apply(input.value(), draw), input.origin());
        }

        @Override
        public Fingerprint fingerprint() {
            return function.fingerprint();
        }

        @Override
        public void report(RunStatistics.Tally tally) {
            function.report(tally);
        }
    }

    record Chain<A, B, C>(StageFunction<A, B> first, StageFunction<B, C> second, Fingerprint fingerprint)
            implements StageFunction<A, C> {

        @Override
        public C apply(A value, Draw draw) {
            return second.apply(first.apply(value, draw), draw);
        }

        @Override
        public void report(RunStatistics.Tally tally) {
            first.report(tally);
            second.report(tally);
        }

        @Override
        public String toString() {
            return first + "\n" + second;
        }
    }

    /** A user's function: named, timed, and with a place in its errors. */
    final class Named<A, B> implements StageFunction<A, B> {

        final String stage;
        private final String verb;
        private final BiFunction<? super A, Draw, ? extends B> fn;
        private final LongFunction<SampleId> ids;
        private final Fingerprint fingerprint;
        private final StageMeter meter = new StageMeter();

        private Named(
                String verb, String stage, BiFunction<? super A, Draw, ? extends B> fn, LongFunction<SampleId> ids) {
            Arguments.refuse(stage.isBlank(), "a stage needs a name: it is part of the cache key");
            this.verb = verb;
            this.stage = stage;
            this.fn = fn;
            this.ids = ids;
            this.fingerprint = Fingerprint.of(verb + " " + stage);
        }

        @Override
        public B apply(A value, Draw draw) {
            Span span = Spans.begin();
            long started = meter.start(draw);
            B result;
            try {
                result = fn.apply(value, draw);
                if (result == null) {
                    throw new NullPointerException("the stage returned null; throw to refuse a sample");
                }
            } catch (Throwable e) {
                throw Thrown.ofSample(stage, draw, index -> ids.apply(index).name(), e);
            }
            meter.stop(draw, started);
            if (span != null) {
                span.end(
                        Span.Kind.STAGE,
                        stage,
                        draw,
                        () -> ids.apply(draw.index()).key().toString());
            }
            return result;
        }

        @Override
        public Fingerprint fingerprint() {
            return fingerprint;
        }

        @Override
        public void report(RunStatistics.Tally tally) {
            tally.stage(stage, meter);
        }

        @Override
        public String toString() {
            return verb + " \"" + stage + "\"";
        }
    }
}

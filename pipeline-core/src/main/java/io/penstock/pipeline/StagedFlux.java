package io.penstock.pipeline;

import io.penstock.cache.Fingerprint;
import io.penstock.order.Draw;
import io.penstock.stream.Execution;
import io.penstock.stream.Sample;
import io.penstock.stream.internal.Arrivals;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxOperator;

/** The samples of another flux behind stages. Neighbouring stages share one ordered merge. */
final class StagedFlux<A, T> extends FluxOperator<Sample<A>, Sample<T>> {

    final Stage<T> stage;
    private final Execution execution;

    private StagedFlux(Flux<? extends Sample<A>> source, Stage<T> stage, Execution execution) {
        super(source);
        this.stage = stage;
        this.execution = execution;
    }

    /** The flux, and no stage yet. */
    static <A> StagedFlux<A, A> over(Flux<Sample<A>> source, Execution execution) {
        return new StagedFlux<>(source, new Arrived<>(), execution);
    }

    /** A flux behind one stage more. */
    static <T, R> Flux<Sample<R>> then(Flux<Sample<T>> flux, Function<Stage<T>, Pipeline<R>> next) {
        StagedFlux<?, T> staged = flux instanceof StagedFlux<?, T> behind ? behind : over(flux, Execution.standard());
        return staged.then(Stage.of(next.apply(staged.stage)));
    }

    private <R> StagedFlux<A, R> then(Stage<R> next) {
        return new StagedFlux<>(source, next, execution);
    }

    @Override
    public void subscribe(CoreSubscriber<? super Sample<T>> actual) {
        // a lambda keeps this flux as long as it runs: what watches its statistics refers to it weakly
        Arrivals.merge(source, (draws, begun) -> stage.beginAll(draws, begun), execution, actual);
    }

    @Override
    @SuppressWarnings("rawtypes") // as Reactor declares it
    public @Nullable Object scanUnsafe(Attr key) {
        if (key == Attr.PREFETCH) {
            return execution.inFlight();
        }
        return key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : super.scanUnsafe(key);
    }

    @Override
    public String toString() {
        return stage.toString();
    }

    /** The samples of a flux at the top of its stages: each is there once, when it arrives. */
    private static final class Arrived<T> extends Stage<T> {

        private static final Fingerprint ARRIVED = Fingerprint.of("arrived");

        Arrived() {
            super(ARRIVED);
        }

        @Override
        Object begin(Draw draw) {
            throw new UnsupportedOperationException("sample " + draw.index() + " of a flux cannot be loaded again");
        }

        /** The values are where the stages look for them. */
        @Override
        void beginAll(Draw[] draws, Object[] begun) {}

        @Override
        public long size() {
            return Long.MAX_VALUE;
        }

        @Override
        public Fingerprint source() {
            return ARRIVED;
        }

        @Override
        Fingerprint stages() {
            return Fingerprint.of();
        }

        @Override
        public SampleId id(long index) {
            return SampleId.of(ARRIVED, index);
        }

        @Override
        void report(RunStatistics.Tally tally) {}

        @Override
        public String toString() {
            return "flux";
        }
    }
}

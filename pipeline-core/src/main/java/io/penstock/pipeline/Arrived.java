package io.penstock.pipeline;

import io.penstock.cache.Fingerprint;
import io.penstock.order.Draw;

/** The samples of a flux at the top of its stages: each is there once, when it arrives. */
final class Arrived<T> extends Stage<T> {

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

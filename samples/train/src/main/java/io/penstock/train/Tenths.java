package io.penstock.train;

import io.penstock.cache.Fingerprint;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.SampleId;
import java.util.Objects;
import reactor.core.publisher.Mono;

/**
 * Every tenth sample of a data set, or the other nine: what a model is tested with, and what it learns from. Class
 * folders lie one behind the other, so each class gives a tenth of its own. The samples keep their keys, and share
 * cache entries.
 *
 * @param heldBack whether these are the samples 9, 19, 29, …; else all others
 */
record Tenths<T>(Dataset<T> all, boolean heldBack) implements Dataset<T> {

    private static final int NINE = 9;

    @Override
    public long size() {
        long tenth = all.size() / 10;
        return heldBack ? tenth : all.size() - tenth;
    }

    private long inAll(long index) {
        Objects.checkIndex(index, size());
        return heldBack ? index * 10 + NINE : index / NINE * 10 + index % NINE;
    }

    @Override
    public Fingerprint fingerprint() {
        return all.fingerprint().with(heldBack ? "every tenth" : "all but every tenth");
    }

    @Override
    public Mono<T> get(long index) {
        return all.get(inAll(index));
    }

    @Override
    public SampleId id(long index) {
        return all.id(inAll(index));
    }

    @Override
    public String toString() {
        return (heldBack ? "every tenth of " : "nine tenths of ") + all;
    }
}

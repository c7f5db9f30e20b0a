package io.penstock.pipeline;

import java.util.random.RandomGenerator;

/**
 * A random augmentation: a function of the value and of a generator.
 *
 * <p><b>Threads</b>: called from several at once. It must take its randomness from {@code random} alone, so that the
 * result is the same on every run, and must not keep the generator.
 */
@FunctionalInterface
public interface RandomTransform<T> {

    T apply(T value, RandomGenerator random);

    /** This transform, then another, with the same generator. */
    default RandomTransform<T> then(RandomTransform<T> next) {
        return (value, random) -> next.apply(apply(value, random), random);
    }
}

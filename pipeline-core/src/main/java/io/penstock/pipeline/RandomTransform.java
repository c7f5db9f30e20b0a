package io.penstock.pipeline;

import java.util.random.RandomGenerator;

/**
 * A random augmentation: a function of the value and of the dice it is handed.
 *
 * <p>Called from several threads at once. It must take its randomness from {@code random} alone, so that the result is
 * the same on every run, and must not keep the generator.
 */
@FunctionalInterface
public interface RandomTransform<T> {

    T apply(T value, RandomGenerator random);

    /** This transform, then another, with the same generator going on. */
    default RandomTransform<T> then(RandomTransform<T> next) {
        return (value, random) -> next.apply(apply(value, random), random);
    }
}

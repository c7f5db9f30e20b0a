package io.penstock.augment;

import io.penstock.order.Draw;
import io.penstock.pipeline.RandomTransform;
import io.penstock.vision.Part;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * An {@link Augment} over records: one draw moves all components that are parts of a picture. The others stay.
 * <pre>{@code
 * record Street(Pixels pixels, Mask mask, Boxes boxes, int city) {}
 *
 * JointAugment<Street> augment = Augment.resizedCrop(224, 224).flip().boxes(0.25, 16).over(Street.class);
 * streets.augment(augment.name(), augment)
 * }</pre>
 *
 * <p>The pixels are those that the {@code Augment} alone gives. See {@link io.penstock.vision} for the rule of each
 * part. Immutable and thread-safe.
 */
public final class JointAugment<T extends Record> implements RandomTransform<T> {

    private final Augment augment;
    private final Class<T> type;
    private final Constructor<T> constructor;
    private final List<Method> components;

    JointAugment(Augment augment, Class<T> type) {
        this.augment = augment;
        this.type = type;
        this.components = Arrays.stream(type.getRecordComponents())
                .map(RecordComponent::getAccessor)
                .toList();
        Class<?>[] types = components.stream().map(Method::getReturnType).toArray(Class<?>[]::new);
        this.constructor = reflected(() -> type.getDeclaredConstructor(types));
        constructor.setAccessible(true);
        components.forEach(accessor -> accessor.setAccessible(true));
        if (Stream.of(types).noneMatch(Part.class::isAssignableFrom)) {
            throw new IllegalArgumentException(
                    "record %s has no part of a picture; use Pixels, Mask, Dense, Boxes or KeyPoints for its components"
                            .formatted(type.getSimpleName()));
        }
    }

    /** The parameters that a stage of this {@link #name} draws for a sample. */
    public Augment.Parameters draw(T sample, Draw draw) {
        return draw(sample, draw.random(name()));
    }

    /** The parameters for a sample. */
    public Augment.Parameters draw(T sample, RandomGenerator random) {
        return augment.draw(parts(values(sample)), random);
    }

    /** What each box of a sample becomes by these parameters, in the order of the boxes. */
    public List<BoxMove> boxes(T sample, Augment.Parameters drawn) {
        return augment.boxes(parts(values(sample)), drawn);
    }

    /**
     * Applies these parameters.
     * @throws IllegalArgumentException if the parts do not fit each other or the parameters, or a box is none
     */
    public T apply(T sample, Augment.Parameters drawn) {
        Object[] values = values(sample);
        Iterator<Part> moved = augment.apply(parts(values), drawn).iterator();
        Arrays.setAll(values, i -> values[i] instanceof Part ? moved.next() : values[i]);
        return reflected(() -> constructor.newInstance(values));
    }

    @Override
    public T apply(T sample, RandomGenerator random) {
        return apply(sample, draw(sample, random));
    }

    private static List<Part> parts(Object[] values) {
        return Arrays.stream(values)
                .filter(Part.class::isInstance)
                .map(Part.class::cast)
                .toList();
    }

    private Object[] values(T sample) {
        return components.stream()
                .map(component -> reflected(() -> component.invoke(sample)))
                .toArray();
    }

    /** What the record's own code throws reaches the caller as it is. */
    private <R> R reflected(Callable<R> reflection) {
        try {
            return reflection.call();
        } catch (Exception e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw e.getCause() instanceof RuntimeException own
                    ? own
                    : new IllegalStateException("cannot read record " + type.getName(), e);
        }
    }

    /** The name of the augmentation: a good name for the stage. */
    public String name() {
        return augment.name();
    }

    @Override
    public String toString() {
        return name();
    }
}

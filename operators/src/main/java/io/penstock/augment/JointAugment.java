package io.penstock.augment;

import io.penstock.order.Draw;
import io.penstock.pipeline.RandomTransform;
import io.penstock.vision.Part;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.random.RandomGenerator;

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
        RecordComponent[] declared = type.getRecordComponents();
        this.augment = augment;
        this.type = type;
        this.components =
                Arrays.stream(declared).map(RecordComponent::getAccessor).toList();
        try {
            this.constructor = type.getDeclaredConstructor(
                    Arrays.stream(declared).map(RecordComponent::getType).toArray(Class<?>[]::new));
            constructor.setAccessible(true);
            components.forEach(accessor -> accessor.setAccessible(true));
        } catch (NoSuchMethodException e) {
            throw new IllegalArgumentException("cannot read record " + type.getName(), e);
        }
        if (Arrays.stream(declared).noneMatch(each -> Part.class.isAssignableFrom(each.getType()))) {
            throw new IllegalArgumentException(
                    "record %s has no part of a picture; use Pixels, Mask, Dense, Boxes or KeyPoints for its components"
                            .formatted(type.getSimpleName()));
        }
    }

    /** The parameters that a stage of this {@link #name} draws for a sample. */
    public Augment.Parameters draw(T sample, Draw draw) {
        return augment.draw(parts(values(sample)), draw.random(name()));
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
        List<Part> moved = augment.apply(parts(values), drawn);
        int part = 0;
        for (int i = 0; i < values.length; i++) {
            values[i] = values[i] instanceof Part ? moved.get(part++) : values[i];
        }
        return reflected(() -> constructor.newInstance(values));
    }

    @Override
    public T apply(T sample, RandomGenerator random) {
        return apply(sample, augment.draw(parts(values(sample)), random));
    }

    private static List<Part> parts(Object[] values) {
        return Arrays.stream(values)
                .filter(Part.class::isInstance)
                .map(Part.class::cast)
                .toList();
    }

    private Object[] values(T sample) {
        return reflected(() -> {
            Object[] values = new Object[components.size()];
            for (int i = 0; i < values.length; i++) {
                values[i] = components.get(i).invoke(sample);
            }
            return values;
        });
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

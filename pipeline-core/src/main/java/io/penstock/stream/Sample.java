package io.penstock.stream;

import io.penstock.order.Draw;
import io.penstock.pipeline.ErrorPolicy;
import java.util.NoSuchElementException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a stream delivers for a draw: the value, or word that there is none.
 *
 * <p>A sample without a value stands where an {@link ErrorPolicy} skipped it, or where a rank was padded to keep step
 * with the others. It is delivered so that every rank sees the same number of draws; batches leave it out or mask it.
 */
public final class Sample<T> {

    private final Draw draw;
    private final @Nullable T value;

    private Sample(Draw draw, @Nullable T value) {
        this.draw = draw;
        this.value = value;
    }

    /** A delivered value. */
    public static <T> Sample<T> of(Draw draw, T value) {
        return new Sample<>(draw, Objects.requireNonNull(value, "value"));
    }

    /** A draw that brought no value. */
    public static <T> Sample<T> absent(Draw draw) {
        return new Sample<>(draw, null);
    }

    public Draw draw() {
        return draw;
    }

    /** Whether there is a value. */
    public boolean isPresent() {
        return value != null;
    }

    /**
     * The value.
     * @throws NoSuchElementException if the sample was skipped or is padding; filter with {@link #isPresent}
     */
    public T value() {
        if (value == null) {
            throw new NoSuchElementException(
                    draw.isPadding()
                            ? "a padding draw has no value; filter with isPresent"
                            : "sample " + draw.index() + " was skipped; filter with isPresent");
        }
        return value;
    }

    @Override
    public String toString() {
        return "Sample[" + draw + ", " + (value == null ? "absent" : value) + "]";
    }
}

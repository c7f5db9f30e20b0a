package io.penstock.stream;

import io.penstock.order.Draw;
import java.util.NoSuchElementException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A draw and its value, which may be absent.
 *
 * <p>The value is absent where an error policy skipped the sample, or where a rank was padded to keep step with the
 * others. The draw is delivered all the same, so that every rank sees the same number of draws; batches leave it out or
 * mask it.
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

package io.penstock.tensor;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * How a value is laid out as named tensors: what batches stack and caches store, without a copy on the way back.
 *
 * <p>Implementations are thread-safe. {@code unflatten(flatten(v))} equals {@code v}.
 */
public interface Schema<T> extends Codec<T> {

    /** The names of the fields, in order. */
    List<String> names();

    /** The value's fields, one tensor a name. */
    List<Tensor> flatten(T value);

    /** The value that has these fields. */
    T unflatten(List<Tensor> tensors);

    @Override
    default String id() {
        return "tensors 1 " + names();
    }

    @Override
    default Encoded encode(T value) {
        return TensorFormat.encode(flatten(value));
    }

    @Override
    default T decode(ByteBuffer bytes) {
        return unflatten(TensorFormat.decode(bytes, names().size()));
    }

    /**
     * The schema of a record class: one field a component, of type {@link Tensor}, {@code int}, {@code long},
     * {@code float}, {@code double}, {@code boolean} or {@link String} (as UTF-8, {@code u8[n]}).
     * @throws IllegalArgumentException if a component has another type, or there is none
     */
    static <T extends Record> Schema<T> of(Class<T> type) {
        return new RecordSchema<>(type);
    }

    /** The schema of bare tensors: one field of this name. */
    static Schema<Tensor> tensor(String name) {
        return new SingleSchema(name);
    }
}

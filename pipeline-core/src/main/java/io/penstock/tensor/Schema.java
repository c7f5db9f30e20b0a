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
     * The schema of a record, or of a class whose constructor takes all that its values consist of: a Kotlin data class,
     * a Scala case class, an ordinary Java class. A component is a parameter of the public constructor of the most
     * parameters, and of the widest of all if none is public.
     *
     * <p>A component is of type {@link Tensor}, {@code int}, {@code long}, {@code float}, {@code double},
     * {@code boolean}, {@link String} (as UTF-8, {@code u8[n]}), or an array of {@code byte} ({@code u8[n]}),
     * {@code short}, {@code int}, {@code long}, {@code float} or {@code double}. A byte array is not copied: nothing may
     * write to it any more. A component may be a record of these, too: one of a single component is a field of the outer
     * name, one of several has the fields {@code outer.inner}.
     *
     * <p>A component {@code x} is read by a public {@code x()}, {@code getX()} or {@code isX()}, else from a public
     * field. The parameters' names are those that the compiler kept ({@code -parameters}). Without them, each parameter
     * must be the only one of its type, or the class a data class or a case class without other fields.
     * @throws IllegalArgumentException if a component has another type or no accessor, if it is not certain which field
     *     a parameter is, or if the class cannot be instantiated
     */
    static <T> Schema<T> of(Class<T> type) {
        return new ClassSchema<>(type);
    }

    /** The schema of bare tensors: one field of this name. */
    static Schema<Tensor> tensor(String name) {
        return new SingleSchema(name);
    }
}

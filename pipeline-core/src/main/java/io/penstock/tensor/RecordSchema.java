package io.penstock.tensor;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** One field a record component, read and written through method handles. */
final class RecordSchema<T extends Record> implements Schema<T> {

    private final Class<T> type;
    private final List<String> names;
    private final Field[] fields;
    private final MethodHandle constructor; // (Object[]) -> Object
    private final TensorDecoder decoder;

    /** A component: its accessor as (Object) -> Object, and how its values become tensors. */
    private record Field(MethodHandle accessor, Kind kind) {}

    private enum Kind {
        TENSOR(Tensor.class),
        INT(int.class),
        LONG(long.class),
        FLOAT(float.class),
        DOUBLE(double.class),
        BOOLEAN(boolean.class),
        STRING(String.class);

        private final Class<?> type;

        Kind(Class<?> type) {
            this.type = type;
        }

        Tensor toTensor(Object value) {
            return switch (this) {
                case TENSOR -> (Tensor) value;
                case INT -> Tensor.scalar((int) value);
                case LONG -> Tensor.scalar((long) value);
                case FLOAT -> Tensor.scalar((float) value);
                case DOUBLE -> Tensor.scalar((double) value);
                case BOOLEAN -> Tensor.scalar((boolean) value);
                case STRING -> Tensor.utf8((String) value);
            };
        }

        Object toValue(Tensor tensor) {
            if (this != TENSOR
                    && this != STRING
                    && tensor.byteSize() != tensor.dtype().bytes()) {
                throw new IllegalArgumentException(
                        "a component of type %s must be one number, was %s".formatted(type, tensor));
            }
            return switch (this) {
                case TENSOR -> tensor;
                case INT -> (int) tensor.longAt(0);
                case LONG -> tensor.longAt(0);
                case FLOAT -> (float) tensor.doubleAt(0);
                case DOUBLE -> tensor.doubleAt(0);
                case BOOLEAN -> tensor.longAt(0) != 0;
                case STRING -> tensor.toText();
            };
        }
    }

    RecordSchema(Class<T> type) {
        RecordComponent[] components = type.getRecordComponents();
        if (components.length == 0) {
            throw new IllegalArgumentException(
                    "Schema cannot lay out " + type.getSimpleName() + ": it has no components");
        }
        this.type = type;
        this.names = Arrays.stream(components).map(RecordComponent::getName).toList();
        this.fields = new Field[components.length];
        this.decoder = new TensorDecoder(components.length);
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            for (int i = 0; i < components.length; i++) {
                components[i].getAccessor().setAccessible(true);
                MethodHandle accessor = lookup.unreflect(components[i].getAccessor());
                fields[i] = new Field(
                        accessor.asType(MethodType.methodType(Object.class, Object.class)), kind(components[i]));
            }
            Constructor<T> canonical = type.getDeclaredConstructor(
                    Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
            canonical.setAccessible(true);
            this.constructor = lookup.unreflectConstructor(canonical)
                    .asSpreader(Object[].class, components.length)
                    .asType(MethodType.methodType(Object.class, Object[].class));
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException("Schema cannot read record " + type.getName(), e);
        }
    }

    private static Kind kind(RecordComponent component) {
        for (Kind kind : Kind.values()) {
            if (kind.type == component.getType()) {
                return kind;
            }
        }
        throw new IllegalArgumentException(
                ("Schema cannot lay out %s.%s of type %s; " + "use Tensor, int, long, float, double, boolean or String")
                        .formatted(
                                component.getDeclaringRecord().getSimpleName(),
                                component.getName(),
                                component.getType().getName()));
    }

    @Override
    public List<String> names() {
        return names;
    }

    @Override
    public List<Tensor> flatten(T value) {
        List<Tensor> tensors = new ArrayList<>(fields.length);
        try {
            for (Field field : fields) {
                Object component = (Object) field.accessor.invokeExact((Object) value);
                tensors.add(field.kind.toTensor(component));
            }
        } catch (Throwable e) {
            throw unexpected(e);
        }
        return tensors;
    }

    @Override
    public T unflatten(List<Tensor> tensors) {
        Object[] components = new Object[fields.length];
        for (int i = 0; i < fields.length; i++) {
            components[i] = fields[i].kind.toValue(tensors.get(i));
        }
        try {
            return type.cast((Object) constructor.invokeExact(components));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    public T decode(ByteBuffer bytes) {
        return unflatten(decoder.decode(bytes));
    }

    /** What a record's own accessor or constructor throws reaches the caller as it is. */
    private static RuntimeException unexpected(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        return e instanceof RuntimeException runtime ? runtime : new IllegalStateException(e);
    }

    @Override
    public String id() {
        return Schema.super.id() + Arrays.stream(fields).map(Field::kind).toList();
    }
}

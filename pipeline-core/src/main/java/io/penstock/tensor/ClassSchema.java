package io.penstock.tensor;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** One field a component of a class, read and written through method handles. */
final class ClassSchema<T> implements Schema<T> {

    private final Class<T> type;
    private final List<String> names;
    private final Field[] fields;
    private final MethodHandle constructor; // (Object[]) -> Object
    private final TensorDecoder decoder;

    /** A component: its accessor as (Object) -> Object, and how its values become tensors. */
    private record Field(MethodHandle accessor, ComponentType type) {}

    ClassSchema(Class<T> type) {
        Components components = Components.of(type);
        int count = components.list().size();
        this.type = type;
        this.names = components.list().stream().map(Components.Component::name).toList();
        this.fields = new Field[count];
        this.decoder = new TensorDecoder(count);
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            for (int i = 0; i < count; i++) {
                Components.Component component = components.list().get(i);
                MethodHandle accessor = component.accessor(lookup);
                fields[i] = new Field(
                        accessor.asType(MethodType.methodType(Object.class, Object.class)),
                        ComponentType.of(type, component.name(), component.type()));
            }
            Constructor<?> all = components.constructor();
            all.setAccessible(true);
            this.constructor = lookup.unreflectConstructor(all)
                    .asSpreader(Object[].class, count)
                    .asType(MethodType.methodType(Object.class, Object[].class));
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException("Schema cannot read " + type.getName(), e);
        }
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
                tensors.add(field.type.toTensor(component));
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
            components[i] = fields[i].type.toValue(tensors.get(i));
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

    /** What the class's own accessor or constructor throws reaches the caller as it is. */
    private static RuntimeException unexpected(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        return e instanceof RuntimeException runtime ? runtime : new IllegalStateException(e);
    }

    @Override
    public String id() {
        return Schema.super.id() + Arrays.stream(fields).map(Field::type).toList();
    }
}

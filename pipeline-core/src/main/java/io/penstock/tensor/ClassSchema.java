package io.penstock.tensor;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One field a component of a class, read and written through method handles. A component that is a record has several. */
final class ClassSchema<T> implements Schema<T> {

    private final Class<T> type;
    private final List<String> names;
    private final Field[] fields;
    private final MethodHandle constructor; // (Object[]) -> Object
    private final TensorDecoder decoder;

    /**
     * A component: its accessor as (Object) -> Object, and how its values become tensors.
     * @param type   null where it is a record
     * @param nested null where it is none
     */
    private record Field(
            MethodHandle accessor,
            @Nullable ComponentType type,
            @Nullable ClassSchema<?> nested) {

        static Field of(Class<?> owner, Components.Component component, MethodHandle accessor) {
            MethodHandle plain = accessor.asType(MethodType.methodType(Object.class, Object.class));
            return component.type().isRecord()
                    ? new Field(plain, null, new ClassSchema<>(component.type()))
                    : new Field(plain, ComponentType.of(owner, component.name(), component.type()), null);
        }

        List<String> names(String name) {
            return nested == null || nested.names.size() == 1
                    ? List.of(name)
                    : nested.names.stream().map(inner -> name + "." + inner).toList();
        }

        int size() {
            return nested == null ? 1 : nested.names.size();
        }

        String form() {
            return nested == null ? String.valueOf(type) : nested.id();
        }
    }

    ClassSchema(Class<T> type) {
        Components components = Components.of(type);
        int count = components.list().size();
        List<String> found = new ArrayList<>();
        this.type = type;
        this.fields = new Field[count];
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            for (int i = 0; i < count; i++) {
                Components.Component component = components.list().get(i);
                fields[i] = Field.of(type, component, component.accessor(lookup));
                found.addAll(fields[i].names(component.name()));
            }
            this.names = List.copyOf(found);
            this.decoder = new TensorDecoder(found.size());
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
        List<Tensor> tensors = new ArrayList<>(names.size());
        flatten(value, tensors);
        return tensors;
    }

    private void flatten(Object value, List<Tensor> into) {
        try {
            for (Field field : fields) {
                Object component = (Object) field.accessor.invokeExact(value);
                if (field.nested != null) {
                    field.nested.flatten(component, into);
                } else if (field.type != null) {
                    into.add(field.type.toTensor(component));
                }
            }
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    public T unflatten(List<Tensor> tensors) {
        Object[] components = new Object[fields.length];
        for (int i = 0, at = 0; i < fields.length; at += fields[i++].size()) {
            ComponentType plain = fields[i].type;
            ClassSchema<?> nested = fields[i].nested;
            if (nested != null) {
                components[i] = nested.unflatten(tensors.subList(at, at + nested.names.size()));
            } else if (plain != null) {
                components[i] = value(names.get(at), plain, tensors.get(at));
            }
        }
        try {
            return type.cast((Object) constructor.invokeExact(components));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    private Object value(String component, ComponentType plain, Tensor tensor) {
        try {
            return plain.toValue(tensor);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "%s.%s: %s".formatted(type.getSimpleName(), component, e.getMessage()), e);
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
        return Schema.super.id() + Arrays.stream(fields).map(Field::form).toList();
    }

    @Override
    public String toString() {
        return type.getSimpleName() + names;
    }
}

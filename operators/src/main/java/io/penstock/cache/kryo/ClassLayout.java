package io.penstock.cache.kryo;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What the bytes of a class's values depend on, in words. */
final class ClassLayout {

    private ClassLayout() {}

    static String of(Class<?> type) {
        if (type.isEnum()) {
            return type.getName() + Arrays.toString(type.getEnumConstants());
        }
        // the JDK's own classes are written by Kryo's own code, which its version stands for
        return type.isArray() || type.isInterface() || type.getName().startsWith("java.")
                ? type.getTypeName()
                : type.getName() + fields(type);
    }

    private static String fields(Class<?> type) {
        List<Field> fields = new ArrayList<>();
        for (@Nullable Class<?> declaring = type;
                declaring != null && declaring != Object.class;
                declaring = declaring.getSuperclass()) {
            fields.addAll(Arrays.asList(declaring.getDeclaredFields()));
        }
        return fields.stream()
                .filter(field ->
                        !Modifier.isStatic(field.getModifiers()) && !Modifier.isTransient(field.getModifiers()))
                .sorted(Comparator.comparing(Field::getName)
                        .thenComparing(field -> field.getDeclaringClass().getName()))
                .map(field -> field.getGenericType().getTypeName()
                        + (Modifier.isFinal(field.getType().getModifiers()) ? "! " : " ")
                        + field.getName())
                .collect(Collectors.joining(", ", "{", "}"));
    }
}

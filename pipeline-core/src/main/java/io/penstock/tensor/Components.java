package io.penstock.tensor;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A constructor, and for each of its parameters the accessor that returns the same value.
 *
 * <p>A record says which accessor is of which parameter. Elsewhere the parameters' names do, where the compiler kept
 * them. Where it did not, only an assignment to the declared fields that permits no other is believed: a wrong one
 * would exchange two numbers in every batch. That is one field of each parameter's type, or a class that kotlinc or
 * scalac wrote, which declare the fields in the order of the parameters.
 */
record Components(Constructor<?> constructor, List<Component> list) {

    /** A method without arguments, or a field. */
    record Component(String name, Class<?> type, Member read) {

        MethodHandle accessor(MethodHandles.Lookup lookup) throws IllegalAccessException {
            if (read instanceof Method method) {
                method.setAccessible(true); // a public one may be of a class that is not
                return lookup.unreflect(method);
            }
            Field field = (Field) read;
            field.setAccessible(true);
            return lookup.unreflectGetter(field);
        }
    }

    static Components of(Class<?> type) {
        return type.isRecord() ? ofRecord(type) : ofClass(type);
    }

    private static Components ofRecord(Class<?> type) {
        RecordComponent[] components = type.getRecordComponents();
        if (components.length == 0) {
            throw refusal(type, "it has no components");
        }
        try {
            Constructor<?> canonical = type.getDeclaredConstructor(
                    Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
            return new Components(
                    canonical,
                    Arrays.stream(components)
                            .map(component ->
                                    new Component(component.getName(), component.getType(), component.getAccessor()))
                            .toList());
        } catch (NoSuchMethodException e) {
            throw new IllegalArgumentException("Schema cannot read record " + type.getName(), e);
        }
    }

    private static Components ofClass(Class<?> type) {
        requireInstantiable(type);
        Constructor<?> constructor = widest(type);
        List<String> names = names(type, constructor);
        List<Component> components = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            Class<?> parameter = constructor.getParameterTypes()[i];
            if (!parameter.isRecord()) {
                ComponentType.of(type, names.get(i), parameter); // an unknown type is the more useful thing to say
            }
            components.add(new Component(names.get(i), parameter, accessor(type, names.get(i), parameter)));
        }
        return new Components(constructor, components);
    }

    private static void requireInstantiable(Class<?> type) {
        if (type.isPrimitive() || type.isArray()) {
            throw refusal(type, "it has no fields; make it a component of a record");
        }
        if (type.isEnum()) {
            throw refusal(type, "it is an enum; make its ordinal() or name() a component of a record");
        }
        if (type.isInterface() || Modifier.isAbstract(type.getModifiers())) {
            throw refusal(type, "it is abstract; name the class of the values");
        }
        if (type.isLocalClass() || type.isAnonymousClass()) {
            throw refusal(type, "it is declared in a method; move it out, or make it a record");
        }
        if (type.isMemberClass() && !Modifier.isStatic(type.getModifiers())) {
            throw refusal(
                    type,
                    "it is an inner class of %s; make it static, or a record"
                            .formatted(type.getDeclaringClass().getSimpleName()));
        }
    }

    /** The constructor of the most parameters, of the public ones if there are any. */
    private static Constructor<?> widest(Class<?> type) {
        List<Constructor<?>> declared = Arrays.stream(type.getDeclaredConstructors())
                .filter(constructor -> !constructor.isSynthetic()) // kotlinc's for default arguments
                .collect(Collectors.toList());
        if (declared.stream().anyMatch(Components::isPublic)) {
            declared.removeIf(constructor -> !isPublic(constructor));
        }
        int most =
                declared.stream().mapToInt(Executable::getParameterCount).max().orElse(0);
        if (most == 0) {
            throw refusal(
                    type, "its constructor has no parameters; add one that takes all fields, or make it a record");
        }
        declared.removeIf(constructor -> constructor.getParameterCount() < most);
        if (declared.size() > 1) {
            throw refusal(
                    type,
                    "it has %d constructors of %d parameters, %s; make one of them public and no other, or make it a record"
                            .formatted(
                                    declared.size(),
                                    most,
                                    declared.stream()
                                            .map(Components::parameters)
                                            .sorted()
                                            .collect(Collectors.joining(" and "))));
        }
        return declared.get(0);
    }

    private static boolean isPublic(Constructor<?> constructor) {
        return Modifier.isPublic(constructor.getModifiers());
    }

    private static String parameters(Constructor<?> constructor) {
        return Arrays.stream(constructor.getParameterTypes())
                .map(Class::getSimpleName)
                .collect(Collectors.joining(", ", "(", ")"));
    }

    private static List<String> names(Class<?> type, Constructor<?> constructor) {
        Parameter[] parameters = constructor.getParameters();
        if (parameters[0].isNamePresent()) {
            return Arrays.stream(parameters).map(Parameter::getName).toList();
        }
        List<Class<?>> types = List.of(constructor.getParameterTypes());
        List<Field> fields = Arrays.stream(type.getDeclaredFields())
                .filter(field -> !Modifier.isStatic(field.getModifiers()) && !field.isSynthetic())
                .toList();
        if ((isKotlinData(type, types) || isScalaCase(type))
                && fields.stream().<Class<?>>map(Field::getType).toList().equals(types)) {
            return fields.stream().map(Field::getName).toList();
        }
        List<String> names = new ArrayList<>();
        for (int i = 0; i < types.size(); i++) {
            names.add(onlyField(type, fields, types, i));
        }
        return names;
    }

    private static String onlyField(Class<?> type, List<Field> fields, List<Class<?>> types, int parameter) {
        Class<?> wanted = types.get(parameter);
        List<String> found = fields.stream()
                .filter(field -> field.getType() == wanted)
                .map(Field::getName)
                .toList();
        if (found.size() != 1 || Collections.frequency(types, wanted) > 1) {
            throw refusal(
                    type,
                    "parameter %d of its constructor %s has no name in the class file, and may be of %s; %s"
                            .formatted(
                                    parameter + 1,
                                    types.stream()
                                            .map(Class::getSimpleName)
                                            .collect(Collectors.joining(", ", "(", ")")),
                                    found.isEmpty() ? "no field" : "the fields " + String.join(", ", found),
                                    "compile with -parameters (kotlinc: -java-parameters), or make it a record"));
        }
        return found.get(0);
    }

    /** Whether there are {@code component1()} to {@code componentN()}, as kotlinc makes them for the parameters. */
    private static boolean isKotlinData(Class<?> type, List<Class<?>> parameters) {
        for (int i = 0; i < parameters.size(); i++) {
            if (method(type, "component" + (i + 1), parameters.get(i)) == null) {
                return false;
            }
        }
        return true;
    }

    /** Whether it has what scalac makes for case classes. */
    private static boolean isScalaCase(Class<?> type) {
        return method(type, "productArity", int.class) != null && method(type, "productPrefix", String.class) != null;
    }

    /** {@code x()}, {@code getX()}, {@code isX()} or the field {@code x}, in this order, each public. */
    private static Member accessor(Class<?> type, String name, Class<?> value) {
        String capital = name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
        List<String> candidates = value == boolean.class
                ? List.of(name, "get" + capital, "is" + capital)
                : List.of(name, "get" + capital);
        for (String candidate : candidates) {
            Method method = method(type, candidate, value);
            if (method != null) {
                return method;
            }
        }
        for (Field field : type.getFields()) {
            if (field.getName().equals(name) && field.getType() == value && !Modifier.isStatic(field.getModifiers())) {
                return field;
            }
        }
        throw new IllegalArgumentException(
                "Schema cannot read %s.%s of type %s: add a public %s() or field %s, or make %s a record"
                        .formatted(
                                type.getSimpleName(),
                                name,
                                value.getTypeName(),
                                String.join("(), ", candidates),
                                name,
                                type.getSimpleName()));
    }

    private static @Nullable Method method(Class<?> type, String name, Class<?> result) {
        for (Method method : type.getMethods()) {
            if (method.getName().equals(name)
                    && method.getParameterCount() == 0
                    && method.getReturnType() == result
                    && !Modifier.isStatic(method.getModifiers())
                    && method.getDeclaringClass() != Object.class) {
                return method;
            }
        }
        return null;
    }

    private static IllegalArgumentException refusal(Class<?> type, String why) {
        return new IllegalArgumentException("Schema cannot lay out %s: %s".formatted(type.getSimpleName(), why));
    }
}

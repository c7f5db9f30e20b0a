package io.penstock.house;

import static java.util.Comparator.comparing;
import static java.util.stream.Collectors.joining;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaGenericArrayType;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaParameterizedType;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.domain.JavaTypeVariable;
import com.tngtech.archunit.core.domain.JavaWildcardType;
import java.lang.reflect.Executable;
import java.lang.reflect.Parameter;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The public and protected signatures of classes, a line each: types by name, those within a type after it, and members
 * by name, constructors first.
 */
final class ApiListing {

    private static final Set<String> EVERY_OBJECT_HAS = Set.of("equals", "hashCode", "toString");

    private ApiListing() {}

    static String of(Collection<JavaClass> types) {
        return types.stream()
                .filter(ApiListing::isVisible)
                .sorted(comparing(JavaClass::getName))
                .map(ApiListing::describe)
                .collect(joining("\n"));
    }

    private static boolean isVisible(JavaClass type) {
        return isVisible(type.getModifiers())
                && !type.getSimpleName().isEmpty()
                && type.getEnclosingClass().map(ApiListing::isVisible).orElse(true);
    }

    private static boolean isVisible(Set<JavaModifier> modifiers) {
        return (modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED))
                && !modifiers.contains(JavaModifier.SYNTHETIC)
                && !modifiers.contains(JavaModifier.BRIDGE);
    }

    private static String describe(JavaClass type) {
        return Stream.concat(Stream.of(header(type)), members(type)).collect(joining("\n", "", "\n"));
    }

    private static String header(JavaClass type) {
        String above = Stream.concat(
                        type.getSuperclass().stream().filter(parent -> !isImplied(parent)),
                        type.getInterfaces().stream().sorted((a, b) -> name(a).compareTo(name(b))))
                .map(ApiListing::name)
                .collect(joining(", "));
        return type.getPackageName() + " " + kind(type) + nested(type) + variables(type.getTypeParameters())
                + (above.isEmpty() ? "" : " : " + above);
    }

    private static boolean isImplied(JavaType parent) {
        return Set.of("java.lang.Object", "java.lang.Record", "java.lang.Enum")
                .contains(parent.toErasure().getName());
    }

    private static String kind(JavaClass type) {
        if (type.isAnnotation()) {
            return "@interface ";
        }
        if (type.isRecord()) {
            return "record ";
        }
        if (type.isEnum()) {
            return "enum ";
        }
        boolean open = !type.getModifiers().contains(JavaModifier.FINAL);
        String sealed = open && type.reflect().isSealed() ? "sealed " : "";
        if (type.isInterface()) {
            return sealed + "interface ";
        }
        return (open ? "" : "final ")
                + sealed
                + (type.getModifiers().contains(JavaModifier.ABSTRACT) ? "abstract " : "")
                + "class ";
    }

    /** A member by the name that it is sorted by. */
    private record Signature(String name, String text) {}

    private static Stream<String> members(JavaClass type) {
        Stream<Signature> fields = type.getFields().stream()
                .filter(field -> isVisible(field.getModifiers()))
                .map(field -> signature(field, name(field.getType()), field.getName(), ""));
        Stream<Signature> constructors = type.getConstructors().stream()
                .filter(constructor -> isVisible(constructor.getModifiers()))
                .map(constructor -> new Signature("", modifiers(constructor) + "new" + parameters(constructor)));
        Stream<Signature> methods = type.getMethods().stream()
                .filter(method -> isVisible(method.getModifiers()) && !EVERY_OBJECT_HAS.contains(method.getName()))
                .map(method -> signature(method, name(method.getReturnType()), method.getName(), parameters(method)));
        return Stream.of(fields, constructors, methods)
                .flatMap(signatures -> signatures)
                .sorted(comparing(Signature::name).thenComparing(Signature::text))
                .map(signature -> "    " + signature.text);
    }

    private static Signature signature(JavaMember member, String type, String name, String parameters) {
        return new Signature(name, modifiers(member) + type + " " + name + parameters);
    }

    private static String modifiers(JavaMember member) {
        Set<JavaModifier> modifiers = member.getModifiers();
        String variables = member instanceof JavaMethod method ? variables(method.getTypeParameters()) : "";
        return (modifiers.contains(JavaModifier.PROTECTED) ? "protected " : "")
                + (modifiers.contains(JavaModifier.STATIC) ? "static " : "")
                + (member instanceof JavaField && !modifiers.contains(JavaModifier.FINAL) ? "mutable " : "")
                + (isDefault(member) ? "default " : "")
                + (variables.isEmpty() ? "" : variables + " ");
    }

    private static boolean isDefault(JavaMember member) {
        return member instanceof JavaMethod
                && member.getOwner().isInterface()
                && !member.getModifiers().contains(JavaModifier.ABSTRACT)
                && !member.getModifiers().contains(JavaModifier.STATIC);
    }

    private static String parameters(JavaCodeUnit unit) {
        String thrown = unit.getThrowsClause().stream()
                .map(declaration -> declaration.getRawType().getSimpleName())
                .collect(joining(", "));
        Parameter[] named = ((Executable) unit.reflect()).getParameters();
        List<JavaType> types = unit.getParameterTypes();
        return IntStream.range(0, types.size())
                        .mapToObj(i -> name(types.get(i)) + (named[i].isNamePresent() ? " " + named[i].getName() : ""))
                        .collect(joining(", ", "(", ")"))
                + (thrown.isEmpty() ? "" : " throws " + thrown);
    }

    private static String variables(List<? extends JavaTypeVariable<?>> variables) {
        return variables.isEmpty()
                ? ""
                : variables.stream()
                        .map(variable -> variable.getName() + bounds(" extends ", variable.getUpperBounds()))
                        .collect(joining(", ", "<", ">"));
    }

    private static String bounds(String word, List<JavaType> bounds) {
        String named = bounds.stream()
                .map(ApiListing::name)
                .filter(name -> !name.equals("Object"))
                .collect(joining(" & "));
        return named.isEmpty() ? "" : word + named;
    }

    private static String name(JavaType type) {
        if (type instanceof JavaParameterizedType parameterized) {
            return name(parameterized.toErasure())
                    + parameterized.getActualTypeArguments().stream()
                            .map(ApiListing::name)
                            .collect(joining(", ", "<", ">"));
        }
        if (type instanceof JavaWildcardType wildcard) {
            return "?" + bounds(" extends ", wildcard.getUpperBounds()) + bounds(" super ", wildcard.getLowerBounds());
        }
        if (type instanceof JavaGenericArrayType array) {
            return name(array.getComponentType()) + "[]";
        }
        return type instanceof JavaClass raw ? nested(raw) : type.getName();
    }

    private static String nested(JavaClass type) {
        return type.getEnclosingClass().map(outer -> nested(outer) + ".").orElse("") + type.getSimpleName();
    }
}

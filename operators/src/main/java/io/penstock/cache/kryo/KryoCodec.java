package io.penstock.cache.kryo;

import io.penstock.internal.OptionalLibrary;
import io.penstock.tensor.Codec;
import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Values of classes that were named beforehand, as Kryo writes them: for what a {@link io.penstock.tensor.Schema}
 * cannot lay out. A schema's tensors are read without a copy, so prefer one where it fits.
 * <pre>{@code
 *  Codec<Caption> codec = KryoCodec.of(Caption.class, Language.class, ArrayList.class);
 * }</pre>
 *
 * <p>Classes: records, enums, classes with any fields but transient ones (made without their constructor where they
 * have none without arguments), arrays, the JDK's collections. A class that was not named is refused by its name, in a
 * value and in bytes: it is neither loaded nor made. Named already: {@code String}, the primitives, arrays of these,
 * {@code Tensor}, {@code ArrayList}, {@code HashMap}, {@code LinkedHashMap}, {@code HashSet}, {@code LinkedHashSet},
 * {@code TreeMap}, and what {@code List.of}, {@code Set.of} and {@code Map.of} make.
 *
 * <p>The {@link #id} has Kryo's version, all classes in their order, and the fields of each, so values of a class that
 * has changed are not found again rather than misread.
 *
 * <p>Bytes are believed in nothing: a length is checked against what remains before it is used, and values are at most
 * 64 levels deep. So damaged bytes end in an {@link IllegalArgumentException}, or in another value; a tier that keeps a
 * checksum tells those. Thread-safe.
 */
public final class KryoCodec<T> implements Codec<T> {

    private final Class<T> type;
    private final List<Class<?>> classes;
    private final String id;
    private final ConcurrentLinkedQueue<KryoEngine> idle = new ConcurrentLinkedQueue<>();
    private final AtomicInteger idleCount = new AtomicInteger();

    private KryoCodec(Class<T> type, List<Class<?>> classes) {
        this.type = type;
        this.classes = classes;
        giveBack(new KryoEngine(classes)); // what cannot be registered is said now
        this.id = "kryo " + KryoEngine.version() + " " + type.getName() + " "
                + classes.stream().map(ClassLayout::of).toList();
    }

    /**
     * The codec of a class.
     * @param type       of the values
     * @param registered all other classes in them, in an order that stays the same
     * @throws IllegalArgumentException if Kryo cannot handle one of the classes
     * @throws IllegalStateException if Kryo is not on the class path
     */
    public static <T> KryoCodec<T> of(Class<T> type, Class<?>... registered) {
        Set<Class<?>> classes = new LinkedHashSet<>();
        classes.add(type);
        classes.addAll(Arrays.asList(registered));
        OptionalLibrary.KRYO.require(KryoCodec.class);
        return new KryoCodec<>(type, List.copyOf(classes));
    }

    @Override
    public String id() {
        return id;
    }

    /**
     * The value's bytes.
     * @throws IllegalArgumentException if a class in it was not registered, or it is deeper than 64 levels
     */
    @Override
    public Encoded encode(T value) {
        KryoEngine engine = take();
        ByteBuffer bytes;
        try {
            bytes = engine.encode(value);
        } catch (RuntimeException | StackOverflowError e) {
            throw refusal("cannot encode", e);
        }
        giveBack(engine);
        return Encoded.of(bytes);
    }

    @Override
    public T decode(ByteBuffer bytes) {
        KryoEngine engine = take();
        T value;
        try {
            value = type.cast(engine.decode(bytes));
        } catch (RuntimeException | StackOverflowError e) {
            throw refusal("cannot decode", e);
        }
        if (value == null) {
            throw refusal("cannot decode", new IllegalArgumentException("the bytes are of no value"));
        }
        giveBack(engine);
        return value;
    }

    private IllegalArgumentException refusal(String what, Throwable thrown) {
        Unregistered unregistered = unregistered(thrown);
        String why = unregistered != null
                ? "class %s is not registered; add it to KryoCodec.of if it belongs there"
                        .formatted(unregistered.getMessage())
                : firstLine(thrown);
        return new IllegalArgumentException("KryoCodec %s %s: %s".formatted(what, type.getName(), why), thrown);
    }

    private static @Nullable Unregistered unregistered(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof Unregistered found) {
                return found;
            }
        }
        return null;
    }

    /** Kryo's messages go on for lines with the path to where it was. */
    private static String firstLine(Throwable thrown) {
        String message = thrown.getMessage();
        return message == null ? thrown.toString() : message.lines().findFirst().orElse(thrown.toString());
    }

    /** One that failed is not given back: its state is unknown. */
    private KryoEngine take() {
        KryoEngine engine = idle.poll();
        if (engine == null) {
            return new KryoEngine(classes);
        }
        idleCount.decrementAndGet();
        return engine;
    }

    private void giveBack(KryoEngine engine) {
        if (idleCount.incrementAndGet() <= Runtime.getRuntime().availableProcessors() * 2) {
            idle.add(engine);
        } else {
            idleCount.decrementAndGet();
        }
    }

    @Override
    public String toString() {
        return id;
    }
}

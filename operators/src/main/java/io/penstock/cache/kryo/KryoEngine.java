package io.penstock.cache.kryo;

import com.esotericsoftware.kryo.kryo5.Kryo;
import com.esotericsoftware.kryo.kryo5.Registration;
import com.esotericsoftware.kryo.kryo5.Serializer;
import com.esotericsoftware.kryo.kryo5.io.Input;
import com.esotericsoftware.kryo.kryo5.io.Output;
import com.esotericsoftware.kryo.kryo5.objenesis.strategy.StdInstantiatorStrategy;
import com.esotericsoftware.kryo.kryo5.serializers.CollectionSerializer;
import com.esotericsoftware.kryo.kryo5.serializers.ImmutableCollectionsSerializers;
import com.esotericsoftware.kryo.kryo5.serializers.MapSerializer;
import com.esotericsoftware.kryo.kryo5.util.DefaultClassResolver;
import com.esotericsoftware.kryo.kryo5.util.DefaultInstantiatorStrategy;
import com.esotericsoftware.kryo.kryo5.util.MapReferenceResolver;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Properties;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A Kryo with its buffer, for one thread at a time. */
final class KryoEngine {

    private static final int MAX_DEPTH = 64;
    private static final int FIRST_BYTES = 4096;
    private static final int KEPT_BYTES = 1 << 20;

    private static final List<Class<?>> ALWAYS = List.of(
            boolean[].class,
            byte[].class,
            char[].class,
            short[].class,
            int[].class,
            long[].class,
            float[].class,
            double[].class,
            String[].class,
            ArrayList.class,
            HashMap.class,
            LinkedHashMap.class,
            HashSet.class,
            LinkedHashSet.class,
            TreeMap.class);

    private final Strict kryo = new Strict();
    private Output output = new Output(FIRST_BYTES, -1);

    KryoEngine(List<Class<?>> classes) {
        kryo.setInstantiatorStrategy(new DefaultInstantiatorStrategy(new StdInstantiatorStrategy()));
        kryo.setReferences(true);
        kryo.setMaxDepth(MAX_DEPTH);
        kryo.register(Tensor.class, new TensorSerializer());
        ALWAYS.forEach(kryo::register);
        ImmutableCollectionsSerializers.registerSerializers(kryo);
        for (Class<?> type : classes) {
            try {
                kryo.register(type);
            } catch (RuntimeException e) {
                throw new IllegalArgumentException(
                        "KryoCodec cannot register %s; make it a record, or convert it before it is cached"
                                .formatted(type.getName()),
                        e);
            }
        }
    }

    /** The version of Kryo on the class path; its format is the same within a major one at least. */
    static String version() {
        try (InputStream in =
                Kryo.class.getResourceAsStream("/META-INF/maven/com.esotericsoftware.kryo/kryo5/pom.properties")) {
            Properties properties = new Properties();
            if (in != null) {
                properties.load(in);
            }
            return properties.getProperty("version", "5");
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the version of Kryo", e);
        }
    }

    ByteBuffer encode(Object value) {
        output.reset();
        kryo.writeClassAndObject(output, value);
        ByteBuffer bytes = ByteBuffer.wrap(output.toBytes());
        if (output.getBuffer().length > KEPT_BYTES) {
            output = new Output(FIRST_BYTES, -1);
        }
        return bytes;
    }

    @Nullable Object decode(ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(bytes.position(), copy);
        Input input = new BoundedInput(copy);
        Object value = kryo.readClassAndObject(input);
        if (input.position() != copy.length) {
            throw new IllegalArgumentException(
                    "%d bytes are left after the value".formatted(copy.length - input.position()));
        }
        return value;
    }

    /** A Kryo that says which class it was not told of. */
    private static final class Strict extends Kryo {

        Strict() {
            super(new Resolver(), new MapReferenceResolver());
            setRegistrationRequired(true);
        }

        @Override
        @SuppressWarnings("rawtypes") // as Kryo declares it
        public Registration getRegistration(Class type) {
            try {
                return super.getRegistration(type);
            } catch (IllegalArgumentException e) {
                throw new Unregistered(type.getName());
            }
        }
    }

    /**
     * Containers check their length. Classes come by their number. One that comes by its name is of no registered
     * class, and is not even looked for.
     */
    private static final class Resolver extends DefaultClassResolver {
        @Override
        public Registration register(Registration registration) {
            Serializer<?> serializer = registration.getSerializer();
            Class<?> type = registration.getType();
            if (type.isArray() || serializer instanceof CollectionSerializer || serializer instanceof MapSerializer) {
                registration.setSerializer(new LengthFirst<>(serializer));
            }
            return super.register(registration);
        }

        @Override
        protected Registration readName(Input input) {
            input.readVarInt(true);
            throw new Unregistered(input.readString());
        }
    }

    /** What Kryo writes with its length first, read with that length checked before room is made for it. */
    private static final class LengthFirst<T> extends Serializer<T> {

        private final Serializer<T> serializer;

        LengthFirst(Serializer<T> serializer) {
            super(serializer.getAcceptsNull(), serializer.isImmutable());
            this.serializer = serializer;
        }

        @Override
        public void write(Kryo kryo, Output output, T value) {
            serializer.write(kryo, output, value);
        }

        @Override
        public T read(Kryo kryo, Input input, Class<? extends T> type) {
            ((BoundedInput) input).expectLength();
            return serializer.read(kryo, input, type);
        }
    }

    /** Tensors inside other values: a length, then the bytes that a schema makes of them. */
    private static final class TensorSerializer extends Serializer<Tensor> {

        private static final Schema<Tensor> SCHEMA = Schema.tensor("tensor");

        TensorSerializer() {
            super(false, true);
        }

        @Override
        public void write(Kryo kryo, Output output, Tensor tensor) {
            ByteBuffer bytes = SCHEMA.encode(tensor).joined();
            output.writeVarInt(bytes.remaining(), true);
            output.writeBytes(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
        }

        @Override
        public Tensor read(Kryo kryo, Input input, Class<? extends Tensor> type) {
            return SCHEMA.decode(ByteBuffer.wrap(input.readBytes(input.readVarInt(true))));
        }
    }
}

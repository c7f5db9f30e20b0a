package io.penstock.cache.kryo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.esotericsoftware.kryo.kryo5.Kryo;
import com.esotericsoftware.kryo.kryo5.io.Output;
import io.penstock.cache.Fingerprint;
import io.penstock.cache.ram.RamTier;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

class KryoCodecTest {

    private static final AtomicInteger MADE = new AtomicInteger();

    enum Language {
        EN,
        DE
    }

    record Box(int left, double top, boolean crowd) {}

    @SuppressWarnings("ArrayRecordComponent") // arrays are among what is to be kept
    record Caption(
            String text,
            Language language,
            Instant written,
            List<Box> boxes,
            Map<String, Long> counts,
            int[] tokens,
            String[] words,
            Box[] more,
            Tensor pixels,
            byte[] raw,
            float[] weights) {

        @Override
        public boolean equals(Object other) {
            return other instanceof Caption that
                    && Objects.equals(text, that.text)
                    && language == that.language
                    && Objects.equals(written, that.written)
                    && Objects.equals(boxes, that.boxes)
                    && Objects.equals(counts, that.counts)
                    && Arrays.equals(tokens, that.tokens)
                    && Arrays.equals(words, that.words)
                    && Arrays.equals(more, that.more)
                    && Objects.equals(pixels, that.pixels)
                    && Arrays.equals(raw, that.raw)
                    && Arrays.equals(weights, that.weights);
        }

        @Override
        public int hashCode() {
            return Objects.hash(text, tokens.length);
        }
    }

    static final class Node {
        int value;
        Object next;

        Node(int value) {
            this.value = value;
        }
    }

    static final class Unwanted {
        Unwanted() {
            MADE.incrementAndGet();
        }
    }

    private static KryoCodec<Caption> captions() {
        return KryoCodec.of(Caption.class, Language.class, Instant.class, Box.class, Box[].class);
    }

    private static Caption caption(long seed) {
        Random random = new Random(seed);
        List<Box> boxes = new ArrayList<>();
        Map<String, Long> counts = random.nextBoolean() ? new TreeMap<>() : new HashMap<>();
        for (int i = random.nextInt(6); i > 0; i--) {
            boxes.add(
                    random.nextInt(5) == 0
                            ? null
                            : new Box(random.nextInt(), random.nextDouble(), random.nextBoolean()));
            counts.put("k" + i, random.nextLong());
        }
        byte[] raw = new byte[random.nextInt(3000)];
        random.nextBytes(raw);
        return new Caption(
                random.nextInt(5) == 0 ? null : "text ä € 𝄞 " + Long.toString(random.nextLong(), 36),
                Language.values()[random.nextInt(2)],
                Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000_000)),
                random.nextBoolean() ? boxes : List.of(new Box(1, 2, true)),
                random.nextInt(4) == 0 ? Map.of("a", 1L) : counts,
                random.ints(random.nextInt(9)).toArray(),
                new String[] {"x", null, ""},
                boxes.toArray(new Box[0]),
                Tensor.ofFloats(new float[] {random.nextFloat(), Float.NaN, 0, 1}, 2, 2),
                raw,
                new float[random.nextInt(5)]);
    }

    @Property(tries = 500)
    void decode_ofWhatWasEncoded_isEqual(@ForAll long seed) {
        KryoCodec<Caption> codec = captions();
        Caption value = caption(seed);

        ByteBuffer bytes = codec.encode(value).joined();
        ByteBuffer direct = ByteBuffer.allocateDirect(bytes.remaining() + 7)
                .position(7)
                .put(bytes.duplicate())
                .position(7);

        assertThat(codec.decode(bytes.duplicate())).isEqualTo(value);
        assertThat(codec.decode(direct.asReadOnlyBuffer())).isEqualTo(value);
    }

    @Test
    void decode_ofSharedAndCircularValues_keepsThemSo() {
        KryoCodec<Node> codec = KryoCodec.of(Node.class);
        Node ring = new Node(1);
        ring.next = new Node(2);
        ((Node) ring.next).next = ring;

        Node read = codec.decode(codec.encode(ring).joined());

        assertThat(read.value).isEqualTo(1);
        assertThat(((Node) read.next).value).isEqualTo(2);
        assertThat(((Node) read.next).next).isSameAs(read);
    }

    @Test
    void encode_ofADeepValue_saysSo() {
        KryoCodec<Node> codec = KryoCodec.of(Node.class);
        Node chain = new Node(0);
        for (int i = 0; i < 100_000; i++) {
            Node longer = new Node(i);
            longer.next = chain;
            chain = longer;
        }
        Node deep = chain;

        assertThatThrownBy(() -> codec.encode(deep))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("KryoCodec cannot encode %s: Max depth exceeded: 64".formatted(Node.class.getName()));
        assertThat(codec.decode(codec.encode(new Node(7)).joined()).value).isEqualTo(7);
    }

    @Test
    void encode_ofAnUnregisteredClass_namesIt() {
        KryoCodec<Node> codec = KryoCodec.of(Node.class);
        Node value = new Node(1);
        value.next = new Unwanted();

        assertThatThrownBy(() -> codec.encode(value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "KryoCodec cannot encode %s: class %s is not registered; add it to KryoCodec.of if it belongs there"
                                .formatted(Node.class.getName(), Unwanted.class.getName()));
    }

    /** Bytes that name a class, as a Kryo without registration writes them. */
    @Test
    void decode_ofAnUnregisteredClass_namesItAndMakesNone() {
        Kryo loose = new Kryo();
        loose.setRegistrationRequired(false);
        loose.setReferences(true);
        Output output = new Output(100, -1);
        loose.writeClassAndObject(output, new Unwanted());
        MADE.set(0);

        assertThatThrownBy(() -> KryoCodec.of(Node.class).decode(ByteBuffer.wrap(output.toBytes())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "KryoCodec cannot decode %s: class %s is not registered; add it to KryoCodec.of if it belongs there"
                                .formatted(Node.class.getName(), Unwanted.class.getName()));
        assertThat(MADE).hasValue(0);
    }

    @Test
    void decode_ofAnotherRegisteredClass_isRefused() {
        KryoCodec<Box> boxes = KryoCodec.of(Box.class, Node.class);
        KryoCodec<Node> nodes = KryoCodec.of(Node.class, Box.class);
        ByteBuffer node = ByteBuffer.wrap(KryoCodec.of(Object.class, Box.class, Node.class)
                .encode(new Node(1))
                .joined()
                .array());

        assertThatThrownBy(() -> boxes.decode(nodes.encode(new Node(1)).joined()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> boxes.decode(node.duplicate())).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void decode_ofMoreBytesThanAValue_isRefused() {
        KryoCodec<Box> codec = KryoCodec.of(Box.class);
        ByteBuffer bytes = codec.encode(new Box(1, 2, true)).joined();
        ByteBuffer longer =
                ByteBuffer.allocate(bytes.remaining() + 2).put(bytes).rewind();

        assertThatThrownBy(() -> codec.decode(longer))
                .hasMessage(
                        "KryoCodec cannot decode %s: 2 bytes are left after the value".formatted(Box.class.getName()));
    }

    /** Truncated, flipped, and with lengths of gigabytes put in: a value or an error, and nothing is allocated for it. */
    @Property(tries = 20)
    void decode_ofDamagedBytes_neverAllocatesMoreThanTheyAreWorth(@ForAll long seed) {
        KryoCodec<Caption> codec = captions();
        byte[] bytes = codec.encode(caption(seed)).joined().array().clone();
        SplittableRandom random = new SplittableRandom(seed);
        long before = allocated();
        for (int i = 0; i < 50; i++) {
            byte[] damaged =
                    random.nextInt(4) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes.clone();
            for (int flips = random.nextInt(4); flips > 0 && damaged.length > 0; flips--) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            }
            int at = random.nextInt(Math.max(1, Math.min(200, damaged.length - 5)));
            if (random.nextBoolean() && damaged.length > at + 5) {
                System.arraycopy(new byte[] {-1, -1, -1, -1, 7}, 0, damaged, at, 5); // 2^31 - 1
            }
            try {
                codec.decode(ByteBuffer.wrap(damaged));
            } catch (IllegalArgumentException e) {
                assertThat(e).hasMessageStartingWith("KryoCodec cannot decode " + Caption.class.getName() + ": ");
            }
        }
        assertThat(allocated() - before).isLessThan(50 * (2L << 20));
    }

    @Tag("endurance")
    @Property(tries = 100)
    void decode_ofMoreDamagedBytes_neverAllocatesMoreThanTheyAreWorth(@ForAll long seed) {
        decode_ofDamagedBytes_neverAllocatesMoreThanTheyAreWorth(seed);
    }

    private static long allocated() {
        return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean())
                .getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    /** Each kind of value that begins with its length, which claims to be of 2^31 - 2 elements. */
    @Test
    void decode_ofAHugeLength_isRefusedBeforeRoomIsMade() {
        Object[] values = {
            "text of some length ä",
            new int[9],
            new long[9],
            new byte[9],
            new float[9],
            new double[9],
            new short[9],
            new char[9],
            new boolean[9],
            new String[9],
            new Box[9],
            new ArrayList<>(List.of(1)),
            new HashMap<>(Map.of(1, 1)),
            new java.util.HashSet<>(List.of(1)),
            new TreeMap<>(Map.of(1, 1)),
            List.of(1, 2, 3),
            java.util.Set.of(1, 2, 3),
            Map.of(1, 2, 3, 4),
            new java.math.BigInteger("123456789012345678901234567890"),
            Tensor.scalar(1),
            new java.util.BitSet(70),
            new java.util.ArrayDeque<>(List.of(1)),
            new java.util.PriorityQueue<>(List.of(1))
        };
        KryoCodec<Object> codec = KryoCodec.of(
                Object.class,
                Box.class,
                Box[].class,
                java.math.BigInteger.class,
                java.util.BitSet.class,
                java.util.ArrayDeque.class,
                java.util.PriorityQueue.class);
        for (Object value : values) {
            byte[] bytes = codec.encode(value).joined().array();
            long before = allocated();
            for (int at = 1; at < Math.min(bytes.length, 12); at++) {
                for (int form = 0; form < 2; form++) {
                    byte[] huge = Arrays.copyOf(bytes, bytes.length + 4);
                    // as a varint of 5 bytes, and behind a flag
                    byte[] length = form == 0 ? new byte[] {-1, -1, -1, -1, 7} : new byte[] {-1, -1, -1, -1, 15};
                    System.arraycopy(length, 0, huge, at, Math.min(5, huge.length - at));
                    assertThatCode(() -> {
                                try {
                                    codec.decode(ByteBuffer.wrap(huge));
                                } catch (IllegalArgumentException e) {
                                    // refused, as it should be
                                }
                            })
                            .as("%s at %d", value.getClass(), at)
                            .doesNotThrowAnyException();
                }
            }
            assertThat(allocated() - before).as("%s", value.getClass()).isLessThan(16 << 20);
        }
    }

    @Test
    void id_tellsVersionClassesAndFields() {
        assertThat(KryoCodec.of(Box.class, Language.class).id())
                .isEqualTo("kryo 5.6.2 %1$s [%1$s{boolean! crowd, int! left, double! top}, %2$s[EN, DE]]"
                        .formatted(Box.class.getName(), Language.class.getName()));
        assertThat(KryoCodec.of(Box.class).id())
                .isNotEqualTo(KryoCodec.of(Box.class, Language.class).id());
        assertThat(KryoCodec.of(Box.class, Node.class, Language.class).id())
                .isNotEqualTo(
                        KryoCodec.of(Box.class, Language.class, Node.class).id());
    }

    @Test
    void codec_usedByManyThreads_keepsValuesApart() {
        KryoCodec<Caption> codec = captions();

        List<Boolean> same = IntStream.range(0, 4_000)
                .parallel()
                .mapToObj(i -> codec.decode(codec.encode(caption(i)).joined()).equals(caption(i)))
                .distinct()
                .toList();

        assertThat(same).containsExactly(true);
    }

    @Test
    void cache_withAKryoCodec_givesWhatWasLoaded() {
        AtomicInteger loads = new AtomicInteger();
        Dataset<Caption> source = new Dataset<>() {
            @Override
            public long size() {
                return 20;
            }

            @Override
            public Fingerprint fingerprint() {
                return Fingerprint.of("captions");
            }

            @Override
            public Mono<Caption> get(long index) {
                return Mono.fromCallable(() -> {
                    loads.incrementAndGet();
                    return caption(index);
                });
            }
        };
        try (RamTier tier = RamTier.ofBytes(1 << 20)) {
            Dataset<Caption> cached = source.cache(tier, captions());

            for (int i = 0; i < 60; i++) {
                assertThat(cached.get(i % 20).block()).isEqualTo(caption(i % 20));
            }
        }
        assertThat(loads).hasValue(20);
    }

    @Test
    void of_withoutKryo_namesTheArtifact() throws ReflectiveOperationException {
        Class<?> codec = new WithoutKryo().loadClass(KryoCodec.class.getName());

        assertThatThrownBy(() ->
                        codec.getMethod("of", Class.class, Class[].class).invoke(null, Box.class, new Class<?>[0]))
                .isInstanceOf(InvocationTargetException.class)
                .cause()
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("KryoCodec needs Kryo on the class path; add com.esotericsoftware.kryo:kryo5:5.6.2");
    }

    /** Our classes again, without Kryo's. */
    private static final class WithoutKryo extends ClassLoader {
        WithoutKryo() {
            super(KryoCodecTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("com.esotericsoftware.")) {
                throw new ClassNotFoundException(name);
            }
            if (!name.startsWith("io.penstock.cache.kryo.")) {
                return super.loadClass(name, resolve);
            }
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? define(name) : loaded;
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}

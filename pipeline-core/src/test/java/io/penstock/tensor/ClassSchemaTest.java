package io.penstock.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Constructor;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Classes that are no records, in Java with the members that kotlinc and scalac give theirs. Classes that kotlinc 2.1.0
 * and scalac 2.13.15 compiled, with default arguments, came back too; their compilers are not part of the build.
 */
class ClassSchemaTest {

    @TempDir
    private Path folder;

    @SuppressWarnings("ArrayRecordComponent") // compared one by one
    record Arrays6(byte[] bytes, short[] shorts, int[] ints, long[] longs, float[] floats, double[] doubles) {}

    @SuppressWarnings("ArrayRecordComponent")
    record Sound(String name, float[] samples) {}

    record Words(List<String> words) {}

    /** An ordinary class: its constructor's order is not that of its fields, one accessor of each kind. */
    public static final class Photo {
        private static final int VERSION = 1;

        public final String name;
        private final boolean flipped;
        private final int height;
        private final int width;
        private final int area;

        public Photo(int width, int height, String name, boolean flipped) {
            this.width = width;
            this.height = height;
            this.name = name;
            this.flipped = flipped;
            this.area = width * height * VERSION;
        }

        public Photo(String name) {
            this(0, 0, name, false);
        }

        public int width() {
            return width;
        }

        public int getHeight() {
            return height;
        }

        public boolean isFlipped() {
            return flipped;
        }

        public int area() {
            return area;
        }
    }

    /** A class that only its package sees, with a constructor that throws. */
    static final class Positive {
        private final int value;

        Positive(int value) {
            if (value <= 0) {
                throw new IllegalStateException("not positive: " + value);
            }
            this.value = value;
        }

        public int value() {
            return value;
        }
    }

    @Test
    void arrays_ofAnyType_comeBack() {
        Schema<Arrays6> schema = Schema.of(Arrays6.class);
        Arrays6 value = new Arrays6(
                new byte[] {1, -2},
                new short[] {Short.MIN_VALUE, 3},
                new int[] {Integer.MIN_VALUE, 4, 5},
                new long[] {Long.MAX_VALUE},
                new float[] {1.5f, Float.NaN},
                new double[0]);

        Arrays6 read = schema.decode(schema.encode(value).joined());

        assertThat(schema.flatten(value))
                .map(Tensor::type)
                .containsExactly("u8[2]", "i16[2]", "i32[3]", "i64[1]", "f32[2]", "f64[0]");
        assertThat(read.bytes()).isEqualTo(value.bytes());
        assertThat(read.shorts()).isEqualTo(value.shorts());
        assertThat(read.ints()).isEqualTo(value.ints());
        assertThat(read.longs()).isEqualTo(value.longs());
        assertThat(read.floats()).isEqualTo(value.floats());
        assertThat(read.doubles()).isEqualTo(value.doubles());
    }

    @Test
    void array_fromAnotherTensor_isRefused() {
        Schema<Sound> schema = Schema.of(Sound.class);
        Tensor name = Tensor.utf8("a");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> schema.unflatten(List.of(name, Tensor.ofInts(new int[] {1, 2}))))
                .withMessage("Sound.samples: a component of type float[] must be f32[n], was i32[2]");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> schema.unflatten(List.of(name, Tensor.ofFloats(new float[4], 2, 2))))
                .withMessage("Sound.samples: a component of type float[] must be f32[n], was f32[2, 2]");
    }

    @Test
    void number_fromATensorThatIsNoSuchNumber_isRefused() {
        record Ride(int day, float fare) {}
        record Name(String text) {}
        Schema<Ride> schema = Schema.of(Ride.class);

        assertThat(schema.unflatten(List.of(Tensor.scalar(3.0), Tensor.scalar(0.1))))
                .isEqualTo(new Ride(3, 0.1f));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> schema.unflatten(List.of(Tensor.utf8("7"), Tensor.scalar(1))))
                .withMessage("Ride.day: a component of type int must be one number, was u8[1]");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> schema.unflatten(List.of(Tensor.scalar(2.5), Tensor.scalar(1))))
                .withMessage("Ride.day: a component of type int cannot be f64[] {2.5}");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> schema.unflatten(List.of(Tensor.scalar(1L << 31), Tensor.scalar(1))))
                .withMessage("Ride.day: a component of type int cannot be i64[] {2147483648}");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Schema.of(Name.class).unflatten(List.of(Tensor.scalar(65))))
                .withMessage("Name.text: a component of type java.lang.String must be u8[n], was i32[]");
    }

    @Test
    void ordinaryClass_parameters_areFoundByName() {
        Schema<Photo> schema = Schema.of(Photo.class);

        Photo read = schema.decode(schema.encode(new Photo(3, 4, "x", true)).joined());

        assertThat(schema.names()).containsExactly("width", "height", "name", "flipped");
        assertThat(schema).hasToString("Photo[width, height, name, flipped]");
        assertThat(schema.id()).isEqualTo("tensors 1 [width, height, name, flipped][INT, INT, STRING, BOOLEAN]");
        assertThat(read).usingRecursiveComparison().isEqualTo(new Photo(3, 4, "x", true));
    }

    @Test
    void ordinaryClass_thatRefusesAValue_itsOwnExceptionArrives() {
        Schema<Positive> schema = Schema.of(Positive.class);

        assertThat(schema.unflatten(List.of(Tensor.scalar(3))).value()).isEqualTo(3);
        assertThatThrownBy(() -> schema.unflatten(List.of(Tensor.scalar(0)))).hasMessage("not positive: 0");
    }

    /** What a record has in caches stays valid. */
    @Test
    void record_id_isWhatItWas() {
        record Every(Tensor pixels, int i, long l, float f, double d, boolean b, String s) {}

        assertThat(Schema.of(Every.class).id())
                .isEqualTo("tensors 1 [pixels, i, l, f, d, b, s][TENSOR, INT, LONG, FLOAT, DOUBLE, BOOLEAN, STRING]");
    }

    private static final String KOTLIN_DATA = """
            public final class Row {
                private final int id;
                private final int label;
                private final boolean isCrowd;
                private final float[] weights;

                public Row(int id, int label, boolean isCrowd, float[] weights) {
                    this.id = id;
                    this.label = label;
                    this.isCrowd = isCrowd;
                    this.weights = weights;
                }

                public final int getId() { return id; }
                public final int getLabel() { return label; }
                public final boolean isCrowd() { return isCrowd; }
                public final float[] getWeights() { return weights; }
                public final int component1() { return id; }
                public final int component2() { return label; }
                public final boolean component3() { return isCrowd; }
                public final float[] component4() { return weights; }

                public final Row copy(int id, int label, boolean isCrowd, float[] weights) {
                    return new Row(id, label, isCrowd, weights);
                }

                public static Row copy$default(Row row, int id, int label, boolean crowd, float[] w, int mask, Object o) {
                    return row;
                }
            }
            """;

    private static final String SCALA_CASE = """
            public class Row {
                private final int id;
                private final int label;
                private final boolean isCrowd;
                private final float[] weights;

                public static Row apply(int id, int label, boolean isCrowd, float[] weights) {
                    return new Row(id, label, isCrowd, weights);
                }

                public int id() { return id; }
                public int label() { return label; }
                public boolean isCrowd() { return isCrowd; }
                public float[] weights() { return weights; }

                public Row copy(int id, int label, boolean isCrowd, float[] weights) {
                    return new Row(id, label, isCrowd, weights);
                }

                public int copy$default$1() { return id(); }
                public String productPrefix() { return "Row"; }
                public int productArity() { return 4; }
                public Object productElement(int at) { return at; }
                public boolean canEqual(Object other) { return other instanceof Row; }

                public Row(int id, int label, boolean isCrowd, float[] weights) {
                    this.id = id;
                    this.label = label;
                    this.isCrowd = isCrowd;
                    this.weights = weights;
                }
            }
            """;

    @Test
    void kotlinDataClass_withAndWithoutNames_comesBack() throws Exception {
        assertRowComesBack(compiled(KOTLIN_DATA));
        assertRowComesBack(compiled(KOTLIN_DATA, "-parameters"));
    }

    @Test
    void scalaCaseClass_withAndWithoutNames_comesBack() throws Exception {
        assertRowComesBack(compiled(SCALA_CASE));
        assertRowComesBack(compiled(SCALA_CASE, "-parameters"));
    }

    private static <T> void assertRowComesBack(Class<T> type) throws ReflectiveOperationException {
        Schema<T> schema = Schema.of(type);
        Constructor<T> constructor = type.getConstructor(int.class, int.class, boolean.class, float[].class);
        T value = constructor.newInstance(1, 2, true, new float[] {3, 4});

        List<Tensor> tensors = schema.flatten(value);

        assertThat(schema.names()).containsExactly("id", "label", "isCrowd", "weights");
        assertThat(tensors)
                .containsExactly(
                        Tensor.scalar(1), Tensor.scalar(2), Tensor.scalar(true), Tensor.ofFloats(new float[] {3, 4}));
        assertThat(schema.decode(schema.encode(value).joined()))
                .usingRecursiveComparison()
                .isEqualTo(value);
    }

    /** A class {@code Row} of its own loader, whose parameters have no names unless the compiler is told. */
    private Class<?> compiled(String source, String... options) throws Exception {
        Path classes = Files.createTempDirectory(folder, "classes");
        Path file = Files.writeString(classes.resolve("Row.java"), source);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<String> arguments = new ArrayList<>(List.of("-proc:none", "-d", classes.toString()));
        arguments.addAll(Arrays.asList(options));
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            assertThat(compiler.getTask(null, files, null, arguments, null, files.getJavaFileObjects(file))
                            .call())
                    .isTrue();
        }
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {classes.toUri().toURL()})) {
            return loader.loadClass("Row");
        }
    }

    @Test
    void withoutNames_oneFieldOfEachType_isEnough() throws Exception {
        Class<?> type = compiled("""
                public class Row {
                    private final String text;
                    private final int label;
                    private double cached;
                    public Row(int label, String text) { this.label = label; this.text = text; }
                    public int getLabel() { return label; }
                    public String getText() { return text; }
                }
                """);

        assertThat(Schema.of(type).names()).containsExactly("label", "text");
    }

    /** In the order of the fields, x and y would be exchanged. */
    @Test
    void withoutNames_severalFieldsOfAType_areRefused() throws Exception {
        Class<?> type = compiled("""
                public class Row {
                    public final int y;
                    public final int x;
                    public Row(int x, int y) { this.x = x; this.y = y; }
                }
                """);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> Schema.of(type))
                .withMessage("Schema cannot lay out Row: parameter 1 of its constructor (int, int) has no name in the "
                        + "class file, and may be of the fields y, x; compile with -parameters "
                        + "(kotlinc: -java-parameters), or make it a record");
    }

    @Test
    void withoutNames_dataClassWithMoreFields_isRefused() throws Exception {
        Class<?> type = compiled(
                KOTLIN_DATA.replace("private final int id;", "private final int id; private final int doubled = 2;"));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> Schema.of(type))
                .withMessageContaining("may be of the fields id, doubled, label; compile with -parameters");
    }

    /** The fields are public here, so that nothing but the constructors or accessors is wrong. */
    static final class TwoConstructors {
        public final int first;
        public final float second;

        public TwoConstructors(int first, float second) {
            this.first = first;
            this.second = second;
        }

        public TwoConstructors(float second, int first) {
            this(first, second);
        }
    }

    static final class NoAccessor {
        private final int width;
        private final int height;

        NoAccessor(int width, int height) {
            this.width = width;
            this.height = height;
        }

        public int width() {
            return width;
        }

        public long getHeight() {
            return height; // of another type
        }

        int height() {
            return height; // not public
        }
    }

    static final class Bean {
        public int value;
    }

    interface Shape2 {
        int sides();
    }

    abstract static class Base {
        public final int value;

        Base(int value) {
            this.value = value;
        }
    }

    enum Colour {
        RED
    }

    @SuppressWarnings({"ClassCanBeStatic", "InnerClassMayBeStatic"}) // that is what is refused
    final class Inner {
        public final int value;

        Inner(int value) {
            this.value = value;
        }
    }

    private static void assertRefused(Class<?> type, String message) {
        assertThatIllegalArgumentException().isThrownBy(() -> Schema.of(type)).withMessage("Schema cannot " + message);
    }

    @Test
    void of_classThatCannotBeLaidOut_saysWhyAndTheWayOut() {
        @SuppressWarnings("UnusedVariable") // never made
        final class Local {
            private final int value;

            @SuppressWarnings("UnusedMethod")
            Local(int value) {
                this.value = value;
            }
        }

        assertRefused(
                TwoConstructors.class,
                "lay out TwoConstructors: it has 2 constructors of 2 parameters, (float, int) and (int, float); "
                        + "make one of them public and no other, or make it a record");
        assertRefused(
                NoAccessor.class,
                "read NoAccessor.height of type int: add a public height(), getHeight() or field height, "
                        + "or make NoAccessor a record");
        assertRefused(
                Bean.class,
                "lay out Bean: its constructor has no parameters; add one that takes all fields, or make it a record");
        assertRefused(Shape2.class, "lay out Shape2: it is abstract; name the class of the values");
        assertRefused(Base.class, "lay out Base: it is abstract; name the class of the values");
        assertRefused(
                Colour.class, "lay out Colour: it is an enum; make its ordinal() or name() a component of a record");
        assertRefused(
                Inner.class, "lay out Inner: it is an inner class of ClassSchemaTest; make it static, or a record");
        assertRefused(Local.class, "lay out Local: it is declared in a method; move it out, or make it a record");
        assertRefused(float[].class, "lay out float[]: it has no fields; make it a component of a record");
        assertRefused(
                Words.class,
                "lay out Words.words of type java.util.List; use Tensor, int, long, float, double, boolean, String "
                        + "or an array of byte, short, int, long, float or double");
    }
}

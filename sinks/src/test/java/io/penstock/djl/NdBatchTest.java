package io.penstock.djl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import io.penstock.batch.Batch;
import io.penstock.order.Position;
import io.penstock.tensor.DType;
import io.penstock.tensor.Tensor;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/** What an engine is given; what engines make of it is theirs. */
class NdBatchTest {

    private final List<String> events = new ArrayList<>();
    private final List<Made> made = new ArrayList<>();
    private float[] boxes = {};
    private String engine = "one that has all dtypes";

    /** What the engine was asked to make. */
    private record Made(ByteBuffer data, Shape shape, DataType type) {}

    /** A manager that notes what it is asked for. */
    private NDManager manager(String name) {
        return (NDManager) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {NDManager.class}, (proxy, method, arguments) -> {
                    return switch (method.getName()) {
                        case "newSubManager" -> manager("sub");
                        case "getEngine" -> new NamedEngine(engine);
                        case "create" ->
                            arguments[0] instanceof float[] floats
                                    ? boxes(floats)
                                    : made(new Made(
                                            (ByteBuffer) arguments[0], (Shape) arguments[1], (DataType) arguments[2]));
                        case "close" -> closed(name);
                        default -> throw new UnsupportedOperationException(method.getName());
                    };
                });
    }

    private NDArray made(Made array) {
        made.add(array);
        if (made.size() > 20) {
            throw new IllegalStateException("engine is full");
        }
        return array();
    }

    private NDArray boxes(float[] floats) {
        boxes = floats;
        return array();
    }

    private @Nullable Object closed(String name) {
        events.add("close " + name);
        return null;
    }

    private static NDArray array() {
        AtomicReference<@Nullable Object> name = new AtomicReference<>();
        return (NDArray) Proxy.newProxyInstance(
                NdBatchTest.class.getClassLoader(),
                new Class<?>[] {NDArray.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "setName" -> name.getAndSet(arguments[0]);
                    case "getName" -> name.get();
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    private Batch batch(int fields) {
        DType[] all = DType.values();
        return batch(
                IntStream.range(0, fields).mapToObj(i -> all[i % all.length]).toArray(DType[]::new));
    }

    private Batch batch(DType... dtypes) {
        Map<String, Tensor> tensors = new LinkedHashMap<>();
        for (int i = 0; i < dtypes.length; i++) {
            ByteBuffer bytes = ByteBuffer.allocateDirect(2 * 3 * dtypes[i].bytes());
            bytes.put(0, (byte) (i + 1));
            tensors.put("f" + i, Tensor.of(dtypes[i], io.penstock.tensor.Shape.of(2, 3), bytes));
        }
        return new Batch(tensors, 2, null, 0, new Position(0, 2), () -> events.add("close batch"));
    }

    @Test
    void fields_ofEveryDtype_areGivenInPlaceByName() {
        try (NdBatch batch = NdBatch.of(batch(DType.values().length), manager("root"))) {
            assertThat(batch.data())
                    .extracting(NDArray::getName)
                    .startsWith("f0", "f1")
                    .hasSize(13);
            assertThat(batch.array("f3")).isSameAs(batch.data().get(3));
            assertThat(made).allSatisfy(each -> {
                assertThat(each.data().isDirect()).isTrue();
                assertThat(each.data().order()).isEqualTo(ByteOrder.nativeOrder());
                assertThat(each.shape()).isEqualTo(new Shape(2, 3));
                assertThat(each.data().remaining()).isEqualTo(6 * each.type().getNumOfBytes());
            });
            assertThat(made)
                    .extracting(each -> each.type().name().toLowerCase(java.util.Locale.ROOT))
                    .containsExactly(
                            "boolean",
                            "uint8",
                            "int8",
                            "uint16",
                            "int16",
                            "uint32",
                            "int32",
                            "uint64",
                            "int64",
                            "float16",
                            "bfloat16",
                            "float32",
                            "float64");
            assertThat(made.get(4).data().get(0)).isEqualTo((byte) 5);
        }
    }

    /** Its native code would end the process. */
    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"I16", "U16", "U32", "U64", "BF16"})
    void field_ofADtypeThatPyTorchLacks_isKeptFromIt(DType dtype) {
        engine = "PyTorch";

        assertThatThrownBy(() -> NdBatch.of(batch(DType.F32, dtype), manager("root")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("cannot hand field \"f1\" to PyTorch: DJL has no %s there; map it to ", dtype);
        assertThat(made).hasSize(1);
        assertThat(events).containsExactly("close sub", "close batch");
    }

    @Test
    void close_ofABatch_closesArraysThenMemory() {
        NdBatch.of(batch(2), manager("root")).close();

        assertThat(events).containsExactly("close sub", "close batch");
    }

    @Test
    void engine_thatFails_closesWhatThereIs() {
        assertThatThrownBy(() -> NdBatch.of(batch(30), manager("root"))).hasMessage("engine is full");

        assertThat(events).containsExactly("close sub", "close batch");
    }

    @Test
    void field_thatIsNone_isRefusedNamingThoseThatAre() {
        try (NdBatch batch = NdBatch.of(batch(2), manager("root"))) {
            assertThatThrownBy(() -> batch.array("x"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("[f0, f1]");
        }
    }

    /** Both are of a picture of 8 rows and 16 columns, also where the last axis alone would not tell. */
    @ParameterizedTest
    @CsvSource({"3, 8, 16", "8, 16, 3", "8, 16, 6"})
    void boxes_ofPicturesInEitherLayout_areSharesOfTheirSides(int first, int second, int third) {
        Map<String, Tensor> fields = Map.of(
                "pixels", Tensor.ofBytes(new byte[first * second * third], 1, first, second, third),
                "corners", Tensor.ofFloats(new float[] {4, 2, 12, 6}, 1, 1, 4),
                "classes", Tensor.ofInts(new int[] {7}, 1, 1),
                "classes.length", Tensor.ofInts(new int[] {1}, 1));
        Batch batch = new Batch(fields, 1, null, 0, new Position(0, 1), () -> {});

        try (NdBatch arrays = NdBatch.of(batch, manager("root"))) {
            arrays.boxes("pixels", "corners", "classes");
        }

        assertThat(boxes).containsExactly(7, 0.25f, 0.25f, 0.75f, 0.75f);
    }

    @Test
    void flow_ofBatches_isOneOfArrays() {
        StepVerifier.create(Flux.just(batch(1), batch(1)).transform(NdBatch.with(manager("root"))), 0)
                .thenRequest(1)
                .assertNext(NdBatch::close)
                .thenRequest(1)
                .assertNext(NdBatch::close)
                .verifyComplete();

        assertThat(events).containsExactly("close sub", "close batch", "close sub", "close batch");
    }
}

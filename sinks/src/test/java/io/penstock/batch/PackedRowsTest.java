package io.penstock.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.internal.PackedTensors;
import io.penstock.order.Draw;
import io.penstock.order.Position;
import io.penstock.stream.Sample;
import io.penstock.tensor.DType;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

/** Batches of rows whose scalars share an array are those of the same rows with a tensor for each field. */
class PackedRowsTest {

    private static final long ROWS = 500;
    private static final PackedTensors.Layout LAYOUT = layout();
    private static final PackedTensors.Layout ANOTHER = layout();

    private static final Schema<List<Tensor>> SCHEMA = new Schema<>() {
        @Override
        public List<String> names() {
            return List.of("id", "text", "x");
        }

        @Override
        public List<Tensor> flatten(List<Tensor> row) {
            return row;
        }

        @Override
        public List<Tensor> unflatten(List<Tensor> tensors) {
            return tensors;
        }
    };

    private static PackedTensors.Layout layout() {
        return new PackedTensors.Layout(Arrays.asList(DType.I64, null, DType.F32));
    }

    private static List<Tensor> packed(PackedTensors.Layout layout, long index, String text) {
        byte[] scalars = ByteBuffer.allocate(Long.BYTES + Float.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(index)
                .putFloat(index / 8f)
                .array();
        return new PackedTensors(layout, scalars, List.of(Tensor.utf8(text)));
    }

    private static List<Tensor> apart(long index) {
        return List.of(Tensor.scalar(index), Tensor.utf8(text(index)), Tensor.scalar(index / 8f));
    }

    private static String text(long index) {
        return "text %03d".formatted(index);
    }

    private static List<Map<String, String>> batches(int n, boolean padded, LongFunction<List<Tensor>> rows) {
        Batches<List<Tensor>> batches = Batches.of(n, SCHEMA).slots(2);
        List<Map<String, String>> read = new ArrayList<>();
        Flux.range(0, (int) ROWS)
                .map(i -> Sample.of(new Draw(0, 0, i, new Position(0, i + 1)), rows.apply(i)))
                .transform(padded ? batches.padShapes() : batches)
                .doOnNext(batch -> {
                    Map<String, String> fields = new TreeMap<>();
                    for (String name : batch.names()) {
                        Tensor tensor = batch.tensor(name);
                        fields.put(name, tensor + " " + Arrays.toString(tensor.toByteArray()));
                    }
                    read.add(fields);
                    batch.close();
                })
                .blockLast();
        return read;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10, 64, 100, 499, 500})
    void packedRows_ofOneLayout(int n) {
        assertThat(batches(n, false, i -> packed(LAYOUT, i, text(i))))
                .isEqualTo(batches(n, false, PackedRowsTest::apart));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10, 64, 100, 499, 500})
    void rowsOfSeveralKinds_mixed(int n) {
        LongFunction<List<Tensor>> mixed = i -> switch ((int) (i / 90 + i % 3 / 2) % 3) {
            case 0 -> packed(LAYOUT, i, text(i));
            case 1 -> packed(ANOTHER, i, text(i));
            default -> apart(i);
        };

        assertThat(batches(n, false, mixed)).isEqualTo(batches(n, false, PackedRowsTest::apart));
    }

    @Test
    void padded() {
        assertThat(batches(64, true, i -> packed(LAYOUT, i, text(i))))
                .isEqualTo(batches(64, true, PackedRowsTest::apart));
    }

    @Test
    void anotherFieldOfAnotherShape_isRefused() {
        assertThatThrownBy(() -> batches(10, false, i -> packed(LAYOUT, i, i == 4 ? "longer text" : text(i))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(
                        "cannot batch field \"text\": sample 0 is u8[8], sample 4 is u8[11]; pad texts with"
                                + " padShapes(), or give a column of numbers its type by TableOptions.type");
    }
}

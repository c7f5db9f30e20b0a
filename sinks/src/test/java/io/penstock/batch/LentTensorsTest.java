package io.penstock.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.batch.mix.MapBatch;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

class LentTensorsTest {

    private static final int USES = 10_000;

    /** A tensor that was kept, and what it showed while its batch was open. */
    private record Kept(Tensor tensor, Tensor values) {}

    /** What users do with a tensor: all read every element. */
    private static final List<Function<Tensor, float[]>> READS = List.of(
            Tensor::toFloatArray,
            tensor -> floats(tensor.copy()),
            tensor -> floats(Tensor.of(tensor.dtype(), tensor.shape(), tensor.data())),
            tensor -> floats(Tensor.ofBytes(tensor.toByteArray()).reshape(Shape.of(tensor.byteSize())), tensor),
            LentTensorsTest::floats);

    private static float[] floats(Tensor tensor) {
        float[] values = new float[(int) tensor.shape().elements()];
        for (int i = 0; i < values.length; i++) {
            values[i] = i % 2 == 0 ? tensor.floatAt(i) : (float) tensor.doubleAt(i);
        }
        return values;
    }

    private static float[] floats(Tensor bytes, Tensor like) {
        return Tensor.of(like.dtype(), like.shape(), bytes.data()).toFloatArray();
    }

    private static Tensor view(Tensor tensor, Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> tensor.row(random.nextInt((int) tensor.shape().dim(0)));
            case 1 -> tensor.reshape(Shape.of(tensor.shape().elements()));
            case 2 -> tensor.copy();
            default -> tensor;
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"stacked", "padded", "masked", "replaced"})
    void keptTensors_areRightOrRefused(String kind) {
        Random random = new Random(kind.hashCode());
        List<Kept> kept = new ArrayList<>();
        List<Batch> open = new ArrayList<>();
        Iterator<Batch> batches = stream(kind).iterator();
        int refused = 0;
        for (int use = 0; use < USES / 4; use++) {
            if (kept.isEmpty() || random.nextInt(4) == 0) {
                Batch batch = batches.next();
                for (String name : batch.names()) {
                    Tensor tensor = view(batch.tensor(name), random);
                    kept.add(new Kept(tensor, tensor.copy()));
                }
                batch.mask().ifPresent(mask -> kept.add(new Kept(mask, mask.copy())));
                open.add(batch);
                if (open.size() == 3) { // all slots: one of them is needed for the next
                    open.remove(random.nextInt(3)).close();
                }
            }
            Kept one = kept.get(random.nextInt(kept.size()));
            float[] read = null;
            try {
                read = READS.get(random.nextInt(READS.size())).apply(one.tensor());
            } catch (IllegalStateException e) {
                refused++;
                assertThat(e).hasMessageContaining("batch was closed").hasMessageContaining("copy");
            }
            if (read != null && !Arrays.equals(read, one.values().toFloatArray())) {
                throw new AssertionError(
                        "kept %s, read %s of use %d".formatted(one.values(), Arrays.toString(read), use));
            }
        }
        assertThat(refused).isGreaterThan(USES / 16);
    }

    private static Iterable<Batch> stream(String kind) {
        Batches<Points.Point> batches = Batches.of(3, Points.SCHEMA);
        Sampler order = Sampler.shuffled(1).epochs(Long.MAX_VALUE);
        Flux<Batch> flux = Points.immediate(10).stream(order)
                .transform(
                        switch (kind) {
                            case "padded" -> batches.padShapes();
                            case "masked" -> batches.remainder(Remainder.PAD);
                            default -> batches;
                        });
        return kind.equals("replaced")
                ? flux.transform(MapBatch.of(
                                "turn",
                                order,
                                (batch, dice, memory) -> Map.of(
                                        "xy",
                                        Tensor.of(
                                                batch.tensor("xy").dtype(),
                                                batch.tensor("xy").shape(),
                                                memory.apply(batch.tensor("xy").byteSize())
                                                        .put(
                                                                0,
                                                                batch.tensor("xy")
                                                                        .toByteArray())))))
                        .toIterable(1)
                : flux.toIterable(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void closedBatch_saysWhatToDo(boolean padded) {
        Batch batch = stream(padded ? "padded" : "stacked").iterator().next();
        Tensor id = batch.tensor("id");

        batch.close();

        assertThatThrownBy(() -> id.longAt(0)).hasMessageContaining("cannot read i64[3]: its batch was closed");
        assertThatThrownBy(() -> batch.tensor("id")).hasMessageContaining("copy");
        assertThat(batch.toString()).contains("id=i64[3]");
    }
}

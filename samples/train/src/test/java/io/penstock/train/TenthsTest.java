package io.penstock.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.memory.MemoryDataset;
import io.penstock.pipeline.Dataset;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TenthsTest {

    private static Dataset<Integer> numbers(int count) {
        return MemoryDataset.of("numbers", IntStream.range(0, count).boxed().toList());
    }

    private static List<Integer> values(Dataset<Integer> dataset) {
        return IntStream.range(0, (int) dataset.size())
                .mapToObj(i -> dataset.get(i).block())
                .toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 9, 10, 11, 19, 20, 100, 105})
    void parts_ofAnySize_areAllAndShareNothing(int count) {
        Dataset<Integer> all = numbers(count);

        List<Integer> learned = values(new Tenths<>(all, false));
        List<Integer> heldBack = values(new Tenths<>(all, true));

        assertThat(heldBack).hasSize(count / 10).allMatch(number -> number % 10 == 9);
        assertThat(learned).isSorted();
        assertThat(Stream.concat(learned.stream(), heldBack.stream()).sorted()).containsExactlyElementsOf(values(all));
        for (int i = 0; i < learned.size(); i++) {
            assertThat(new Tenths<>(all, false).id(i).key())
                    .isEqualTo(all.id(learned.get(i)).key());
        }
        assertThatThrownBy(() -> new Tenths<>(all, true).get(count / 10)).isInstanceOf(IndexOutOfBoundsException.class);
    }
}

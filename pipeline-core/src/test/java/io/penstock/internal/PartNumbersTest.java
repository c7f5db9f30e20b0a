package io.penstock.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class PartNumbersTest {

    @Property(tries = 300)
    void part_everyIndex_isThePartThatALoopFinds(@ForAll @Size(max = 40) List<@IntRange(max = 4) Integer> sizes) {
        PartNumbers numbers = new PartNumbers(sizes.size(), sizes::get);

        long index = 0;
        for (int part = 0; part < sizes.size(); part++) {
            for (int within = 0; within < sizes.get(part); within++) {
                assertThat(numbers.part(index)).isEqualTo(part);
                assertThat(numbers.within(index, part)).isEqualTo(within);
                index++;
            }
        }

        assertThat(numbers.size()).isEqualTo(index);
        assertThatThrownBy(() -> numbers.part(numbers.size())).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> numbers.part(-1)).isInstanceOf(IndexOutOfBoundsException.class);
    }
}

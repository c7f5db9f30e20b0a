package io.penstock.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every number that batches are set up with: both ends of its range work, and what lies beyond is refused by name. */
class BatchRangesTest {

    private static final int MAX_SIZE = 1 << 24;
    private static final int MAX_SLOTS = 1 << 16;

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, MAX_SIZE + 1, Integer.MAX_VALUE})
    void size_outOfRange_isRefused(int n) {
        String message = "batch size must be in [1, 16777216], was " + n;

        assertThatThrownBy(() -> Batches.of(n, Points.SCHEMA))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
        assertThatThrownBy(() -> BatchPlan.of(Sampler.sequential().draws(3), n, Remainder.KEEP))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "DROP")
    void size_atItsLargest_holdsAnEpoch(Remainder remainder) {
        List<Integer> sizes = Points.immediate(5).stream(Sampler.sequential())
                .transform(Batches.of(MAX_SIZE, Points.SCHEMA)
                        .remainder(remainder)
                        .slots(1)
                        .allocator(bytes -> ByteBuffer.allocateDirect(bytes)))
                .map(batch -> {
                    try (batch) {
                        return batch.size();
                    }
                })
                .collectList()
                .block();

        assertThat(sizes).containsExactly(5);
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, 0, MAX_SLOTS + 1, Integer.MAX_VALUE})
    void slots_outOfRange_areRefused(int slots) {
        assertThatThrownBy(() -> Batches.of(1, Points.SCHEMA).slots(slots))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("slots must be in [1, 65536], was " + slots);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, MAX_SLOTS})
    void slots_atEitherEnd_deliverEverySample(int slots) {
        List<Seen> seen = Seen.all(Points.immediate(10).stream(Sampler.sequential())
                .transform(Batches.of(3, Points.SCHEMA).slots(slots)));

        assertThat(seen).extracting(Seen::size).containsExactly(3, 3, 3, 1);
    }
}

package io.penstock.shard;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.penstock.kit.Hostile;
import io.penstock.store.MemoryStore;
import io.penstock.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/** Records that no writer framed. */
class TfRecordsFuzzTest {

    @MethodSource("files")
    @FuzzTest(maxDuration = "10m")
    void file_ofAnyBytes_isReadOrRefused(byte[] file) {
        MemoryStore store = MemoryStore.of("fuzz", Map.of("a.tfrecord", file));
        Hostile.bytes(() -> {
            try (TfRecords records = TfRecords.open(store, "a.tfrecord", null)) {
                assertThat(records.size()).isLessThanOrEqualTo(file.length / 16);
                long bytes = 0;
                for (long i = 0; i < records.size(); i++) {
                    Tensor record = Objects.requireNonNull(records.get(i).block());
                    bytes += record.byteSize();
                }
                assertThat(bytes).isLessThanOrEqualTo(file.length);
            }
        });
    }

    static Stream<byte[]> files() {
        byte[] valid = TfRecordMaker.file(List.of(new byte[] {1, 2, 3}, new byte[0], new byte[20]));
        List<byte[]> seeds = new ArrayList<>(List.of(valid, new byte[0]));
        for (long claim : new long[] {-1, Long.MAX_VALUE, Integer.MAX_VALUE, 1L << 40}) {
            seeds.add(TfRecordMaker.head(claim));
        }
        for (int at = 0; at < valid.length; at += 5) {
            byte[] changed = valid.clone();
            changed[at] ^= (byte) 0xFF;
            seeds.add(changed);
            seeds.add(Arrays.copyOf(valid, at + 1));
        }
        return seeds.stream();
    }
}

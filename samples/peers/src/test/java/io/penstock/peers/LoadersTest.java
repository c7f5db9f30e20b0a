package io.penstock.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.bench.MeasuredEpoch;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the loaders of others deliver. */
class LoadersTest {

    private static final Work WORK = new Work(new MeasuredEpoch(300, 1024, 64));

    @TempDir
    private Path folder;

    private Path data() throws Exception {
        Path data = folder.resolve("records");
        WORK.write(data);
        return data;
    }

    @Test
    void djl_inEachEpoch_deliversEachRecordOnceInAnotherOrder() throws Exception {
        List<List<Long>> epochs = List.of(new ArrayList<>(), new ArrayList<>());

        try (DjlPeer djl = new DjlPeer(WORK, data())) {
            for (List<Long> indices : epochs) {
                djl.epoch(batch -> {
                    ByteBuffer bytes = ByteBuffer.wrap(batch.getData().head().toByteArray());
                    for (int at = 0; at < bytes.capacity(); at += WORK.sampleBytes()) {
                        indices.add(bytes.getLong(at));
                    }
                });
            }
        }

        assertThat(epochs)
                .allSatisfy(indices -> assertThat(indices)
                        .containsExactlyInAnyOrderElementsOf(
                                LongStream.range(0, WORK.samples()).boxed().toList()));
        assertThat(epochs.get(1)).isNotEqualTo(epochs.get(0));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void torch_withWorkersAndWithout_findsEachRecordInEachEpoch(int workers) throws Exception {
        Optional<TorchPeer> torch = TorchPeer.find();
        assumeTrue(torch.isPresent(), TorchPeer.MISSING);

        double[] seconds = torch.orElseThrow().seconds(WORK, data(), workers, 3);

        assertThat(seconds).hasSize(3);
    }
}

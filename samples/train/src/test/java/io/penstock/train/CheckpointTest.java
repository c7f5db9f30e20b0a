package io.penstock.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.memory.MemoryDataset;
import io.penstock.order.Position;
import io.penstock.order.Sampler;
import io.penstock.resume.ResumeToken;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointTest {

    @TempDir
    private Path folder;

    private static Checkpoint checkpoint(long offset) {
        ResumeToken token = ResumeToken.of(MemoryDataset.of("words", List.of("a", "b", "c")), Sampler.shuffled(7));
        return new Checkpoint(
                token.at(new Position(1, offset)),
                List.of(
                        new Weights("1st_weight", new float[] {1, -0.0f, Float.NaN}, new float[] {0, 5, 6}),
                        new Weights("2nd_bias", new float[] {}, new float[] {})));
    }

    @Test
    void checkpoint_thatWasSaved_isReadAsItWas() throws IOException {
        Path file = folder.resolve("model");

        checkpoint(1).save(file);
        checkpoint(2).save(file);

        assertThat(Checkpoint.load(file)).isEqualTo(checkpoint(2));
        try (var files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
    }

    @Test
    void file_damagedAnywhere_isRefused() throws IOException {
        Path file = folder.resolve("model");
        checkpoint(1).save(file);
        byte[] bytes = Files.readAllBytes(file);

        for (int i = 0; i < bytes.length; i++) {
            byte[] other = bytes.clone();
            other[i] ^= 0x40;
            Files.write(file, other);
            assertThatThrownBy(() -> Checkpoint.load(file)).as("byte %d", i).isInstanceOf(FormatException.class);
            Files.write(file, Arrays.copyOf(bytes, i));
            assertThatThrownBy(() -> Checkpoint.load(file)).as("length %d", i).isInstanceOf(FormatException.class);
        }
    }

    @Test
    void file_thatCannotBeWritten_leavesTheOneBefore() throws IOException {
        Path file = folder.resolve("model");
        checkpoint(1).save(file);
        Files.createDirectory(folder.resolve("model.new"));

        assertThatThrownBy(() -> checkpoint(2).save(file)).isInstanceOf(StoreException.class);
        assertThat(Checkpoint.load(file)).isEqualTo(checkpoint(1));
    }
}

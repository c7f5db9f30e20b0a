package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.batch.Batch;
import io.penstock.cache.Cache;
import io.penstock.cache.ram.RamTier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.ObjDoubleConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MixPicturesTest {

    @TempDir
    private Path folder;

    private final Cache cache = Cache.of(RamTier.ofBytes(64 << 20));

    private MixPictures made(double weight) throws IOException {
        List<Path> made = MadeData.pictures(folder);
        return new MixPictures(made.get(0), made.get(1), weight, cache);
    }

    private static String labels(Batch batch) {
        List<Long> labels = new ArrayList<>();
        for (int row = 0; row < batch.size(); row++) {
            labels.add(batch.tensor("label").longAt(row));
        }
        return labels.toString();
    }

    private static long below(int classes, Batch batch) {
        long count = 0;
        for (int row = 0; row < batch.size(); row++) {
            count += batch.tensor("label").longAt(row) < classes ? 1 : 0;
        }
        return count;
    }

    private static void trainUntil(int batches, MixPictures program, Path checkpoint, ObjDoubleConsumer<Batch> step) {
        killed(batches, step, counted -> program.train(checkpoint, counted));
    }

    /** Lets a program fail between two batches. */
    static void killed(int batches, ObjDoubleConsumer<Batch> step, Trained program) {
        int[] done = new int[1];
        ObjDoubleConsumer<Batch> counted = (batch, loss) -> {
            if (done[0]++ == batches) {
                throw new IllegalStateException("killed");
            }
            step.accept(batch, loss);
        };
        assertThatThrownBy(() -> program.by(counted)).hasMessageContaining("killed");
    }

    interface Trained {
        void by(ObjDoubleConsumer<Batch> step) throws IOException;
    }

    @Tag("repeated")
    @Test
    void training_killedAnywhere_goesOnWithTheSameBatchesAndLosses() throws IOException {
        List<String> whole = new ArrayList<>();
        List<Double> losses =
                made(0.7).train(folder.resolve("whole"), (batch, loss) -> whole.add(labels(batch) + loss));
        Random random = new Random(7);
        Path checkpoint = folder.resolve("checkpoint");
        List<String> both = new ArrayList<>();

        for (int kill = 0; kill < (Boolean.getBoolean("penstock.endurance") ? 4 : 1); kill++) {
            trainUntil(2 + random.nextInt(8), made(0.7), checkpoint, (batch, loss) -> both.add(labels(batch) + loss));
        }
        List<Double> resumed = made(0.7).train(checkpoint, (batch, loss) -> both.add(labels(batch) + loss));

        assertThat(both).hasSizeGreaterThan(whole.size());
        assertThat(both.stream().distinct().toList()).isEqualTo(whole);
        assertThat(resumed).isEqualTo(losses.subList(losses.size() - resumed.size(), losses.size()));
        assertThat(losses.get(losses.size() - 1)).isLessThan(losses.get(0));
    }

    @Test
    void weights_changedAtACheckpoint_holdFromThereOn() throws IOException {
        Path checkpoint = folder.resolve("checkpoint");
        List<Long> before = new ArrayList<>();
        List<Long> after = new ArrayList<>();

        trainUntil(8, made(0.7), checkpoint, (batch, loss) -> before.add(below(MadeData.CLASSES, batch)));
        made(0.25).train(checkpoint, (batch, loss) -> after.add(below(MadeData.CLASSES, batch)));

        assertThat(before).hasSize(8).allSatisfy(count -> assertThat(count).isBetween(22L, 23L));
        assertThat(after).isNotEmpty().containsOnly(8L);
    }

    @Tag("endurance") // made ones are learned where training is killed
    @Test
    void realPictures_areLearned() throws IOException {
        Path images = Path.of(System.getProperty("penstock.data", "none")).resolve("images");
        assumeTrue(Files.exists(images), () -> "there are no pictures at " + images + "; set penstock.data");
        MixPictures program =
                new MixPictures(images.resolve("sign-digits"), images.resolve("clothing/train"), 0.7, cache);
        List<Long> ofDigits = new ArrayList<>();

        List<Double> losses = program.train(folder.resolve("real"), (batch, loss) -> ofDigits.add(below(10, batch)));

        assertThat(ofDigits).allSatisfy(count -> assertThat(count).isBetween(22L, 23L));
        assertThat(losses.get(losses.size() - 1)).as("%s", losses).isLessThan(0.7 * Math.log(20));
    }
}

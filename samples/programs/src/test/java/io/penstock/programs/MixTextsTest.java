package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.batch.Batch;
import io.penstock.cache.Cache;
import io.penstock.cache.ram.RamTier;
import io.penstock.tensor.Tensor;
import io.penstock.text.TextLines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MixTextsTest {

    @TempDir
    private Path folder;

    private final Cache cache = Cache.of(RamTier.ofBytes(64 << 20));
    private final AtomicInteger read = new AtomicInteger();

    private MixTexts program(List<Path> files, double weight) {
        return new MixTexts(
                TextLines.open(files.get(0)).map("count", line -> {
                    read.incrementAndGet();
                    return line;
                }),
                TextLines.openJson(files.get(1)),
                weight,
                cache);
    }

    /** The bytes that are counted, or those that are not and do not pad. */
    private static String text(Batch batch, int row, boolean counted) {
        Tensor tokens = batch.tensor("tokens").row(row);
        Tensor segments = batch.tensor("segments").row(row);
        Tensor mask = batch.tensor("lossMask").row(row);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < MixTexts.ROW; i++) {
            if (segments.longAt(i) > 0 && mask.longAt(i) == (counted ? 1 : 0)) {
                text.append((char) tokens.longAt(i));
            }
        }
        return text.toString();
    }

    @Test
    void loss_countsTheTextAndTheAnswersAlone() throws IOException {
        List<String> questions = new ArrayList<>();
        List<String> texts = new ArrayList<>();

        program(MadeData.texts(folder), 0.4).train(folder.resolve("checkpoint"), (batch, loss) -> {
            for (int row = 0; row < batch.size(); row++) {
                String question = text(batch, row, false);
                String counted = text(batch, row, true);
                if (question.isEmpty()) {
                    texts.add(counted);
                } else {
                    questions.add(question);
                    assertThat(counted).matches("(= \\d+\n)+");
                }
            }
        });

        assertThat(texts).isNotEmpty().allMatch(text -> text.matches("(\\d+ green bottles hang on the wall\n)+"));
        assertThat(questions).isNotEmpty().allMatch(text -> text.matches("(\\d+ plus \\d+\\?\n)+"));
        assertThat(texts.size()).isCloseTo((texts.size() + questions.size()) * 4 / 10, within(1));
    }

    @Test
    void training_killedAnywhere_goesOnWithTheSameBatchesAndLosses() throws IOException {
        List<Path> files = MadeData.texts(folder);
        List<String> whole = new ArrayList<>();
        program(files, 0.4)
                .train(folder.resolve("whole"), (batch, loss) -> whole.add(MixPictures.step(batch, "tokens", loss)));
        Path checkpoint = folder.resolve("checkpoint");
        List<String> both = new ArrayList<>();
        Random random = new Random(5);

        for (int kill = 0; kill < 4; kill++) {
            MixPicturesTest.killed(
                    2 + random.nextInt(6),
                    (batch, loss) -> both.add(MixPictures.step(batch, "tokens", loss)),
                    step -> program(files, 0.4).train(checkpoint, step));
        }
        program(files, 0.4).train(checkpoint, (batch, loss) -> both.add(MixPictures.step(batch, "tokens", loss)));

        assertThat(both).hasSizeGreaterThan(whole.size());
        assertThat(both.stream().distinct().toList()).isEqualTo(whole);
        assertThat(read).as("later runs find the bytes in the cache").hasValue(2_000);
    }

    @Tag("endurance")
    @Test
    void realTexts_areLearned() throws IOException {
        Path data = Path.of(System.getProperty("penstock.data", "none"));
        List<Path> files =
                List.of(data.resolve("text/tinyshakespeare/input.txt"), data.resolve("jsonl/gsm8k/train.jsonl"));
        assumeTrue(files.stream().allMatch(Files::exists), () -> "there are no texts at " + data);
        List<Double> losses = new ArrayList<>();

        program(files, 0.6).train(folder.resolve("real"), (batch, loss) -> losses.add(loss));

        assertThat(losses.get(0)).isGreaterThan(4);
        assertThat(losses.subList(losses.size() - 100, losses.size()))
                .allSatisfy(loss -> assertThat(loss).isLessThan(3));
    }
}

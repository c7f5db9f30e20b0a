package io.penstock.train;

import static io.penstock.train.TrainProcess.lastEpoch;
import static io.penstock.train.TrainProcess.trained;
import static io.penstock.train.TrainProcess.weights;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.Cli;
import io.penstock.pictures.PictureFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Training with PyTorch, in processes of its own. */
class TrainCommandTest {

    private static final int IMAGES = 200;
    private static final int BATCHES = IMAGES * 9 / 10 / 16;

    @TempDir
    private static Path pictures;

    @TempDir
    private Path folder;

    @BeforeAll
    static void makePictures() {
        PictureFolder.write(pictures, IMAGES).blockLast();
    }

    private static String small(int epochs) {
        return "--data %s --resize 16 --batch 16 --epochs %d ".formatted(pictures, epochs);
    }

    @Test
    void madePictures_withoutData_areLearned() throws Exception {
        Cli run = trained(folder, "--images 400 --epochs 6 --batch 16");

        assertThat(lastEpoch(run).path("test_accuracy").asDouble()).isGreaterThan(0.5);
        assertThat(lastEpoch(run).path("loss").asDouble())
                .isLessThan(run.epoch(0).path("loss").asDouble());
        assertThat(run.epochs()).hasSize(6).allSatisfy(epoch -> {
            assertThat(epoch.path("samples").asInt()).isEqualTo(352);
            assertThat(epoch.path("waiting_share").asDouble()).isBetween(0.0, 1.0);
            assertThat(epoch.path("loads").asInt()).isLessThanOrEqualTo(360);
        });
        assertThat(run.err()).isEmpty();
    }

    @Test
    void runs_withOneSeed_haveTheSameWeightsAndOthersOthers() throws Exception {
        String once = weights(trained(folder, small(5)));

        assertThat(weights(trained(folder, small(5)))).isEqualTo(once);
        assertThat(weights(trained(folder, small(5) + "--seed 43"))).isNotEqualTo(once);
    }

    @Test
    void run_stoppedWithinAnEpoch_endsWithTheSameWeights() throws Exception {
        Path model = folder.resolve("model");
        String uninterrupted = weights(trained(folder, small(5)));

        Cli first = trained(folder, small(5) + "--stop-after 17 --checkpoint " + model);
        Cli second = trained(folder, small(5) + "--checkpoint " + model);

        assertThat(weights(first)).isNotEqualTo(uninterrupted);
        assertThat(second.done().path("batches").asInt()).isEqualTo(5 * BATCHES - 17);
        assertThat(weights(second)).isEqualTo(uninterrupted);
        assertThat(weights(trained(folder, small(5) + "--checkpoint " + model))).isEqualTo(uninterrupted);
    }

    @Test
    void run_thatIsKilledTwice_endsWithTheSameWeights() throws Exception {
        String flags = small(60) + "--save-every 3 --checkpoint " + folder.resolve("model");
        String uninterrupted = weights(trained(folder, small(60)));
        for (int epochs : new int[] {3, 7}) {
            try (TrainProcess run = TrainProcess.start(folder, flags)) {
                run.awaitEpochs(epochs);
                run.kill();
            }
        }

        Cli last = trained(folder, flags);

        assertThat(last.done().path("batches").asInt()).isLessThanOrEqualTo((60 - 3 - 7) * BATCHES);
        assertThat(weights(last)).isEqualTo(uninterrupted);
    }

    @Test
    void run_thatASignalEnds_saysHowToGoOnAndEndsWithTheSameWeights() throws Exception {
        String flags = small(60) + "--checkpoint " + folder.resolve("model");
        String uninterrupted = weights(trained(folder, small(60)));
        try (TrainProcess run = TrainProcess.start(folder, flags)) {
            run.awaitEpochs(5);
            run.process().destroy();

            Cli end = run.end();
            assertThat(end.status()).isEqualTo(143);
            assertThat(end.out()).doesNotContain("done");
            assertThat(end.err())
                    .contains("interrupted; to continue, repeat the command")
                    .hasLineCount(1);
        }

        Cli last = trained(folder, flags);

        assertThat(last.done().path("batches").asInt()).isLessThanOrEqualTo((60 - 5) * BATCHES);
        assertThat(weights(last)).isEqualTo(uninterrupted);
    }

    @Test
    void checkpoint_ofOtherPicturesOrNone_isRefusedInALine() throws Exception {
        Path model = folder.resolve("model");
        trained(folder, small(5) + "--stop-after 2 --checkpoint " + model);
        Path text = Files.writeString(folder.resolve("text"), "a text, and no checkpoint");

        assertRefused(small(5) + "--seed 1 --checkpoint " + model, "another seed");
        assertRefused(small(5) + "--augment flip --checkpoint " + model, "stage");
        assertRefused(small(5) + "--checkpoint " + text, "is no checkpoint of a training run");
    }

    private void assertRefused(String flags, String why) throws Exception {
        try (TrainProcess run = TrainProcess.start(folder, flags)) {
            Cli end = run.end();
            assertThat(end.status()).as(flags).isEqualTo(1);
            assertThat(end.err()).contains(why).hasLineCount(1);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--checkpoint x",
                "--save-every 3 --data .",
                "--rank 0 --world 2 --data .",
                "--port 29500 --data .",
                "--batch 0",
                "--learning-rate fast",
                "--augment swirl --data PICTURES"
            })
    void flags_thatDoNotFit_areWrongUsage(String flags) throws Exception {
        try (TrainProcess run = TrainProcess.start(folder, flags.replace("PICTURES", pictures.toString()))) {
            Cli end = run.end();
            assertThat(end.status()).isEqualTo(2);
            assertThat(end.err()).contains("train --help").hasLineCount(1);
        }
    }
}

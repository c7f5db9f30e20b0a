package io.penstock.train;

import static io.penstock.train.TrainProcess.lastEpoch;
import static io.penstock.train.TrainProcess.trained;
import static io.penstock.train.TrainProcess.weights;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.Cli;
import io.penstock.pictures.PictureFolder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two processes that train one network. */
class TrainRanksTest {

    @TempDir
    private static Path pictures;

    @TempDir
    private Path folder;

    @BeforeAll
    static void makePictures() {
        PictureFolder.write(pictures, 200).blockLast();
    }

    private static String small(int epochs) {
        return "--data %s --resize 16 --epochs %d ".formatted(pictures, epochs);
    }

    private List<TrainProcess> ranks(String flags) throws IOException {
        int port;
        try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = any.getLocalPort();
        }
        String both = flags + " --batch 16 --world 2 --port " + port + " --rank ";
        return List.of(TrainProcess.start(folder, both + 0), TrainProcess.start(folder, both + 1));
    }

    private List<Cli> together(String flags) throws Exception {
        List<TrainProcess> ranks = ranks(flags);
        try (TrainProcess first = ranks.get(0);
                TrainProcess second = ranks.get(1)) {
            List<Cli> ends = List.of(first.end(), second.end());
            assertThat(ends)
                    .allSatisfy(end -> assertThat(end.status()).as(end.err()).isZero());
            assertThat(weights(ends.get(0))).isEqualTo(weights(ends.get(1)));
            return ends;
        }
    }

    /** Two ranks of 16 learn what one learns from 32, but for the order in which floats are added. */
    @Test
    void ranks_thatTrainTogether_haveTheSameWeightsAndLearnAsOneDoes() throws Exception {
        List<Cli> both = together(small(5));
        Cli alone = trained(folder, small(5) + "--batch 32");

        assertThat(lastEpoch(both.get(0)).path("samples").asInt()).isEqualTo(80);
        assertThat(both.stream()
                        .mapToDouble(rank -> lastEpoch(rank).path("loss").asDouble())
                        .sum())
                .isCloseTo(2 * lastEpoch(alone).path("loss").asDouble(), Percentage.withPercentage(2));
        assertThat(lastEpoch(both.get(0)).path("test_accuracy"))
                .isEqualTo(lastEpoch(both.get(1)).path("test_accuracy"));
    }

    @Test
    void rank_thatIsKilled_endsTheOtherAndBothGoOnToTheSameWeights() throws Exception {
        String uninterrupted = weights(together(small(60)).get(0));
        String flags = small(60) + "--checkpoint " + folder.resolve("model");
        List<TrainProcess> ranks = ranks(flags);
        try (TrainProcess first = ranks.get(0);
                TrainProcess second = ranks.get(1)) {
            first.awaitEpochs(3);
            second.kill();

            Cli end = first.end();
            assertThat(end.status()).isEqualTo(1);
            assertThat(end.err()).contains("rank 0 has lost another rank").hasLineCount(1);
        }

        Cli last = together(flags).get(0);

        assertThat(last.done().path("batches").asInt()).isLessThanOrEqualTo((60 - 3) * 5);
        assertThat(weights(last)).isEqualTo(uninterrupted);
    }
}

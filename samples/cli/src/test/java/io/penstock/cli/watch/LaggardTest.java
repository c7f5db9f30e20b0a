package io.penstock.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.watch.RankCounts.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LaggardTest {

    /** A window of ten seconds. */
    private static RankWindow rank(
            String name,
            double batches,
            double waited,
            double used,
            double hits,
            double loadMillis,
            double decodeMillis) {
        double samples = 64 * batches;
        double loads = samples * (1 - hits);
        return new RankWindow(
                name,
                10,
                new RankCounts(
                        0,
                        0,
                        batches,
                        0,
                        0,
                        waited,
                        used,
                        loads,
                        samples * hits,
                        loads,
                        0,
                        Map.of(
                                "load",
                                new Stage(true, loads, loads * loadMillis / 1e3),
                                "decode",
                                new Stage(false, loads, loads * decodeMillis / 1e3))));
    }

    private static List<RankWindow> alike(int ranks) {
        List<RankWindow> all = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
            all.add(rank("rank " + rank, 100, 0.5, 9.5, 0.9, 5, 2));
        }
        return all;
    }

    @Test
    void ranksThatDoTheSame_holdUpNone() {
        assertThat(Laggard.of(alike(4)))
                .isEqualTo(new Laggard(null, "no rank holds the others up: the consumers set the pace"));
    }

    @Test
    void ranksThatAllWait_holdUpNone() {
        List<RankWindow> ranks =
                List.of(rank("rank 0", 100, 6, 4, 0.9, 5, 2), rank("rank 1", 100, 6.5, 3.5, 0.9, 5, 2));

        assertThat(Laggard.of(ranks))
                .isEqualTo(new Laggard(
                        null, "no rank holds the others up: all wait for batches, about 60 % of their time"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0.9 | 45 | 2  | its source takes 45.00 ms a load, theirs 5.00",
                "0.9 | 5  | 20 | its stage \"decode\" takes 20.00 ms a sample, theirs 2.00",
                "0.1 | 5  | 2  | its cache misses 90 % of its samples, theirs 10 %",
                "0.9 | 5  | 2  | no stage of it takes longer than theirs"
            })
    void aRankThatWaitsMore_holdsTheOthersUp_forTheReasonThatDiffersMost(
            double hits, double loadMillis, double decodeMillis, String reason) {
        List<RankWindow> ranks = alike(4);
        ranks.set(2, rank("rank 2", 100, 7, 3, hits, loadMillis, decodeMillis));

        assertThat(Laggard.of(ranks))
                .isEqualTo(new Laggard(
                        "rank 2",
                        "rank 2 holds the others up: it waits for batches 70 % of its time, the others 5 %; "
                                + reason));
    }

    @Test
    void aSlowConsumer_isNamedByItsRate() {
        List<RankWindow> ranks = alike(3);
        ranks.set(1, rank("rank 1", 50, 0.1, 9.9, 0.9, 5, 2));

        assertThat(Laggard.of(ranks))
                .isEqualTo(new Laggard(
                        "rank 1",
                        "rank 1 falls behind: 5.0 batches a second, the others 10.0; its consumer uses a batch for "
                                + "198.0 ms, the others' for 95.0"));
    }

    /** One of several servers, whose batches are asked for one by one. */
    private static RankWindow server(String name, int batches, double makeMillis, double loadMillis) {
        double loads = 64 * batches;
        return new RankWindow(
                name,
                10,
                new RankCounts(
                        0,
                        -1,
                        batches,
                        batches,
                        Math.max(1, batches) * makeMillis / 1e3,
                        0,
                        0,
                        loads,
                        0,
                        loads,
                        0,
                        Map.of("load", new Stage(true, loads, loads * loadMillis / 1e3))));
    }

    private static List<RankWindow> serversAlike(int servers) {
        List<RankWindow> all = new ArrayList<>();
        for (int i = 0; i < servers; i++) {
            all.add(server("10.0.0.%d:9400".formatted(i), 100, 20 + i, 5));
        }
        return all;
    }

    @Test
    void serversThatAreAlike_holdUpNone() {
        assertThat(Laggard.of(serversAlike(4)))
                .isEqualTo(new Laggard(null, "no server holds the others up: a batch takes each about 21.0 ms"));
    }

    @Test
    void aServerWhoseBatchesTakeLonger_isNamedWithTheReason_alsoBesideRanks() {
        List<RankWindow> processes = serversAlike(4);
        processes.set(1, server("10.0.0.1:9400", 10, 210, 50)); // its consumers pass it by
        Laggard named = new Laggard(
                "10.0.0.1:9400",
                "10.0.0.1:9400 holds the others up: a batch takes it 210.0 ms, the others 22.0; "
                        + "its source takes 50.00 ms a load, theirs 5.00");

        assertThat(Laggard.of(processes)).isEqualTo(named);
        processes.addAll(alike(3));
        assertThat(Laggard.of(processes)).isEqualTo(named);
    }

    @Test
    void aServerThatFinishesNoBatch_isNamed() {
        List<RankWindow> processes = serversAlike(3);
        processes.add(server("10.0.0.3:9400", 0, 10_000, 0));

        assertThat(Laggard.of(processes).rank()).isEqualTo("10.0.0.3:9400");
    }

    @Test
    void serversThatAreAlike_leaveTheSlowRankNamed() {
        List<RankWindow> processes = alike(4);
        processes.set(2, rank("rank 2", 100, 7, 3, 0.9, 45, 2));
        Laggard alone = Laggard.of(processes);
        processes.addAll(serversAlike(2));

        assertThat(alone.rank()).isEqualTo("rank 2");
        assertThat(Laggard.of(processes)).isEqualTo(alone);
    }

    @Test
    void aServerBesideRanks_isComparedWithNone() {
        List<RankWindow> processes = alike(3);
        processes.add(new RankWindow(
                "10.0.0.1:9400", 10, new RankCounts(0, -1, 0, 0, 0, 0, 0, 6_400, 0, 6_400, 0, Map.of())));

        assertThat(Laggard.of(processes)).isEqualTo(Laggard.of(alike(3)));
    }

    @Test
    void oneRank_isComparedWithNone() {
        assertThat(Laggard.of(alike(1)).rank()).isNull();
    }

    /** Ranks in lockstep differ a little; the one whose source is slow is named, whichever it is. */
    @RepeatedTest(20)
    void noise_doesNotHideTheSlowRank(RepetitionInfo repetition) {
        Random random = new Random(repetition.getCurrentRepetition());
        int ranks = 2 + repetition.getCurrentRepetition() % 7;
        int slow = random.nextInt(ranks);
        List<RankWindow> all = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
            double waited = rank == slow ? random.nextDouble(3, 9) : random.nextDouble(0, 1);
            all.add(rank(
                    "rank " + rank,
                    100,
                    waited,
                    10 - waited,
                    random.nextDouble(0.88, 0.92),
                    random.nextDouble(4, 6) * (rank == slow ? 10 : 1),
                    random.nextDouble(1.5, 2.5)));
        }

        Laggard found = Laggard.of(all);

        assertThat(found.rank()).isEqualTo("rank " + slow);
        assertThat(found.words()).contains("its source takes");
    }
}

package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.CliProcess;
import io.penstock.pipeline.Samples;
import io.penstock.programs.LogBroker.Committed;
import io.penstock.stream.Execution;
import io.penstock.stream.ShuffleBuffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;

/** A trainer on an endless log is killed again and again: nothing that was committed is lost, repeated or changed. */
@Tag("endurance")
class EndlessTrainerTest {

    /** {@code -Dpenstock.kills=100} for more. */
    private static final int KILLS = Integer.getInteger("penstock.kills", 15);

    /** What may be read ahead of the last batch: four in slots, the loads in flight, the shuffle buffer. */
    private static final long AHEAD =
            4L * EndlessTrainer.BATCH + Execution.standard().inFlight() + EndlessTrainer.SHUFFLED;

    @TempDir
    private Path folder;

    /** A batch that was trained on: the number of its first row, and its rows. */
    private record Trained(long number, List<String> rows) {

        static Trained parse(String line) {
            List<String> words = List.of(line.split(" "));
            List<String> rows = words.subList(1, words.size());
            return new Trained(Long.parseLong(words.get(0)) - rows.size(), rows);
        }

        long next() {
            return number + rows.size();
        }
    }

    private Process start(LogBroker broker, Path trained) throws IOException {
        List<String> command = CliProcess.command();
        command.addAll(List.of(EndlessTrainer.class.getName(), Integer.toString(broker.port()), trained.toString()));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("out").toFile())
                .start();
    }

    /** Lets a trainer commit a few batches and kills it, wherever it is then. */
    private List<Trained> killed(LogBroker broker, int run, Random random) throws Exception {
        Path trained = folder.resolve("trained-" + run);
        broker.commits.drainPermits();
        long fetched = broker.fetched.get();
        Process process = start(broker, trained);
        try {
            int commits = 1 + random.nextInt(8);
            boolean came = false;
            for (int tries = 0; tries < 600 && !came && process.isAlive(); tries++) {
                came = broker.commits.tryAcquire(commits, 100, TimeUnit.MILLISECONDS);
            }
            assertThat(came).as("%s", Files.readString(folder.resolve("out"))).isTrue();
            for (int spins = random.nextInt(200_000); spins > 0; spins--) {
                Thread.onSpinWait();
            }
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
        List<Trained> batches =
                Files.readString(trained).lines().map(Trained::parse).toList();
        long delivered = batches.get(batches.size() - 1).next() - batches.get(0).number();
        // from the oldest element that was left, which may be far behind
        assertThat(broker.fetched.get() - fetched)
                .isLessThanOrEqualTo(delivered + AHEAD + 20L * EndlessTrainer.SHUFFLED);
        return batches;
    }

    private static List<String> uninterrupted(long rows) {
        return Flux.range(0, Integer.MAX_VALUE)
                .map(id -> new EndlessTrainer.Row(id, 0))
                .transform(ShuffleBuffer.of(EndlessTrainer.SHUFFLED, EndlessTrainer.SEED))
                .transform(Samples.numbered(EndlessTrainer.SEED))
                .transform(Samples.augment(
                        "dice", (row, random) -> new EndlessTrainer.Row(row.id(), random.nextInt(1_000))))
                .map(sample -> sample.value().id() + ":" + sample.value().dice())
                .take(rows)
                .collectList()
                .block();
    }

    @Test
    void trainer_killedAgainAndAgain_losesRepeatsAndChangesNothingCommitted() throws Exception {
        Random random = new Random(7);
        List<List<Trained>> runs = new ArrayList<>();
        List<Committed> starts = new ArrayList<>();
        Committed end;
        try (LogBroker broker = LogBroker.open()) {
            for (int run = 0; run < KILLS; run++) {
                starts.add(broker.committed());
                runs.add(killed(broker, run, random));
            }
            end = broker.committed();
            assertThat(broker.failure()).isNull();
        }

        String[] rows = new String[(int) end.number()];
        for (int run = 0; run < KILLS; run++) {
            long number = starts.get(run).number(); // nothing committed is repeated, nothing else is left out
            for (Trained batch : runs.get(run)) {
                assertThat(batch.number()).isEqualTo(number);
                number = batch.next();
                for (int row = 0; row < batch.rows().size(); row++) {
                    int at = (int) batch.number() + row;
                    if (at < rows.length) {
                        rows[at] = batch.rows().get(row);
                    }
                }
            }
            long committed = run + 1 < KILLS ? starts.get(run + 1).number() : end.number();
            assertThat(committed).isBetween(starts.get(run).number() + 1, number);
            assertThat(number - committed).isLessThanOrEqualTo(2L * EndlessTrainer.BATCH); // the uncommitted tail
        }
        List<String> whole = uninterrupted(end.number() + 10L * EndlessTrainer.BATCH);
        assertThat(Arrays.asList(rows)).isEqualTo(whole.subList(0, rows.length));
        // replayed rows too are those of a run that was not killed
        assertThat(runs)
                .allSatisfy(batches -> assertThat(batches)
                        .filteredOn(batch -> batch.next() <= whole.size())
                        .allMatch(
                                batch -> batch.rows().equals(whole.subList((int) batch.number(), (int) batch.next()))));
    }
}

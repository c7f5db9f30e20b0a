package io.penstock.cache.chronicle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A writer killed at random moments. It reports a sample when a flush that began after its put has completed; everything
 * reported must be there afterwards, and nothing there may be wrong.
 */
@Tag("repeated")
class KillingTest {

    private static final int KILLS =
            Integer.getInteger("penstock.kills", Boolean.getBoolean("penstock.endurance") ? 8 : 2);
    private static final long SEED = Long.getLong("penstock.kills.seed", System.nanoTime());
    private static final int FEW = 50;
    private static final int MOST_MILLIS = 150;

    @TempDir
    Path directory;

    /** Puts samples in small groups from a number on, and reports each group when it is in the files. */
    static final class Writer {
        public static void main(String[] arguments) {
            PrintStream out = Child.output();
            SplittableRandom random = new SplittableRandom(System.nanoTime());
            try (ChronicleTier tier = options(Path.of(arguments[0])).open()) {
                for (int next = Integer.parseInt(arguments[1]); ; ) {
                    int end = next + 1 + random.nextInt(8);
                    for (int i = next; i < end; i++) {
                        Values.put(tier, i);
                    }
                    tier.flush().block();
                    out.println(next + " " + end);
                    next = end;
                }
            }
        }
    }

    /** Puts samples before any log is begun, and leaves it to a hook to close the cache. */
    static final class Ended {
        public static void main(String[] arguments) throws IOException {
            ChronicleTier tier = options(Path.of(arguments[0])).open();
            Runtime.getRuntime().addShutdownHook(new Thread(tier::close));
            tier.flush().block(); // there is nothing to write, but what a hook may not load is loaded then
            for (int i = 0; i < FEW; i++) {
                Values.put(tier, i);
            }
            Child.output().println("put");
            System.in.read();
        }
    }

    @Test
    void process_endedBySignalBeforeItsLogIsBegun_writesWhatItAccepted() throws Exception {
        try (Child child = Child.start(Ended.class, directory)) {
            assertThat(child.line()).isEqualTo("put");

            child.terminate();
        }

        try (ChronicleTier tier = options(directory).open()) {
            for (int i = 0; i < FEW; i++) {
                assertThat(Values.get(tier, i)).as("sample " + i).isEqualTo(Values.value(i));
            }
        }
    }

    private static ChronicleOptions options(Path directory) {
        return ChronicleTier.at(directory).maxBytes(4L << 30).segmentBytes(1 << 20);
    }

    @Test
    void writer_killedAtRandomMoments_losesNothingThatWasFinished() throws Exception {
        SplittableRandom random = new SplittableRandom(SEED);
        BitSet finished = new BitSet();
        for (int kill = 0; kill < KILLS; kill++) {
            int next = finished.length() + 100;

            writeAndKill(next, random.nextInt(MOST_MILLIS * 1000), finished);

            boolean all = kill % 10 == 0 || kill == KILLS - 1;
            verify(all ? 0 : next - 100, finished, "kill %d, seed %d".formatted(kill, SEED));
        }
        assertThat(finished.cardinality()).isGreaterThan(KILLS);
    }

    private void writeAndKill(int next, long micros, BitSet finished) throws IOException, InterruptedException {
        try (Child child = Child.start(Writer.class, directory, next)) {
            note(child.line(), finished);
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(micros)); // when to kill is what is random here
            child.kill();
            List<String> rest = child.rest();
            rest.forEach(line -> note(line, finished));
        }
    }

    private static void note(String line, BitSet finished) {
        String[] words = line == null ? new String[0] : line.split(" ", -1);
        if (words.length == 2 && !words[1].isEmpty()) { // the last line may be cut
            int from = Integer.parseInt(words[0]);
            int to = Integer.parseInt(words[1]);
            finished.set(from, Math.max(from, to));
        }
    }

    private void verify(int from, BitSet finished, String when) {
        try (ChronicleTier tier = options(directory).open()) {
            for (int i = from; i < finished.length() + 50; i++) {
                byte[] found = Values.get(tier, i);
                if (found != null) {
                    assertThat(found).as("%s: sample %d", when, i).isEqualTo(Values.value(i));
                } else {
                    assertThat(finished.get(i))
                            .as("%s: sample %d was finished and is lost", when, i)
                            .isFalse();
                }
            }
            assertThat(tier.statistics().errors()).as(when).isZero();
        }
    }
}

package io.penstock.cache.chronicle;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.SampleKey;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;

/**
 * Files that are cut shorter while they are mapped: a signal to the process, of which nothing is left but misses. In a
 * process of its own, since a reading that the virtual machine does not expect to fail ends it.
 */
class CutShorterTest {

    private static final int SAMPLES = 400;
    private static final long LEFT = 8192;

    @TempDir
    Path directory;

    /** What is done while the files are cut. */
    enum Work {
        FIRST_READS {
            @Override
            void run(ChronicleTier tier, Path directory) throws IOException {
                cut(directory, ".cq4", LEFT);
            }
        },
        LATER_READS {
            @Override
            void run(ChronicleTier tier, Path directory) throws IOException {
                rightReads(tier);
                rightReads(tier);
                cut(directory, ".cq4", LEFT);
            }
        },
        READS_OF_GROUPS {
            @Override
            void run(ChronicleTier tier, Path directory) throws IOException {
                rightGroups(tier);
                rightGroups(tier);
                cut(directory, ".cq4", LEFT);
                rightGroups(tier);
            }
        },
        HITS_THAT_ARE_KEPT {
            @Override
            void run(ChronicleTier tier, Path directory) {
                SampleKey[] keys = new SampleKey[SAMPLES];
                Arrays.setAll(keys, Values::key);
                @Nullable ByteBuffer[] found = new ByteBuffer[SAMPLES];
                tier.getAll(keys, found);
                cut(directory, ".cq4", LEFT);
                for (int i = 0; i < SAMPLES; i++) {
                    assertThat(found[i]).isEqualTo(ByteBuffer.wrap(Values.value(i)));
                }
            }
        },
        VERIFYING {
            @Override
            void run(ChronicleTier tier, Path directory) {
                List<Damage> damage = new ArrayList<>();
                boolean[] cut = {false};
                CacheDirectory.at(directory)
                        .verify(
                                length -> {
                                    if (!cut[0]) {
                                        cut[0] = true;
                                        cut(directory, ".cq4", LEFT);
                                    }
                                },
                                damage::add);
                assertThat(damage).isNotEmpty();
            }
        },
        LOOKING_AT_ALL {
            @Override
            void run(ChronicleTier tier, Path directory) {
                cut(directory, ".cq4", LEFT);
                tier.forEach(entry -> {});
            }
        },
        COUNTING {
            @Override
            void run(ChronicleTier tier, Path directory) {
                cut(directory, "control", 0);
                assertThat(Values.put(tier, SAMPLES)).isFalse();
                assertThat(tier.statistics().samples()).isEqualTo(SAMPLES);
            }
        },
        WRITING {
            @Override
            void run(ChronicleTier tier, Path directory) {
                for (int i = SAMPLES; i < 2 * SAMPLES; i++) {
                    Values.put(tier, i);
                    if (i == SAMPLES + 20) {
                        tier.flush().block(Values.TIMEOUT);
                        cut(directory, ".cq4", LEFT);
                    }
                }
                tier.flush().block(Values.TIMEOUT);
            }
        };

        abstract void run(ChronicleTier tier, Path directory) throws IOException;
    }

    /** Does the work, then reads everything. */
    static final class Reader {
        public static void main(String[] arguments) throws IOException {
            PrintStream out = Child.output();
            Path directory = Path.of(arguments[0]);
            try (ChronicleTier tier = options(directory).open()) {
                Work.valueOf(arguments[1]).run(tier, directory);
                out.println("right " + rightReads(tier) + " then " + rightReads(tier));
                out.println("errors " + tier.statistics().errors() + " samples "
                        + tier.statistics().samples());
            }
            out.println("closed");
        }
    }

    private static ChronicleOptions options(Path directory) {
        return ChronicleTier.at(directory).maxBytes(64 << 20).segmentBytes(1 << 20);
    }

    private static int rightReads(ChronicleTier tier) {
        int there = 0;
        for (int i = 0; i < SAMPLES; i++) {
            byte[] found = Values.get(tier, i);
            assertThat(found).isIn(null, Values.value(i));
            there += found == null ? 0 : 1;
        }
        return there;
    }

    private static void rightGroups(ChronicleTier tier) {
        for (int from = 0; from < SAMPLES; from += 40) {
            SampleKey[] keys = new SampleKey[40];
            for (int i = 0; i < keys.length; i++) {
                keys[i] = Values.key(from + i);
            }
            @Nullable ByteBuffer[] found = new ByteBuffer[keys.length];
            tier.getAll(keys, found);
            for (int i = 0; i < keys.length; i++) {
                assertThat(found[i]).isIn(null, ByteBuffer.wrap(Values.value(from + i)));
            }
        }
    }

    private static void cut(Path directory, String ending, long length) {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path file :
                    all.filter(path -> path.toString().endsWith(ending)).toList()) {
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                    channel.truncate(length);
                }
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"LATER_READS", "WRITING"})
    void files_cutShorterWhileOpen_areMisses(Work work) throws Exception {
        assertMisses(work);
    }

    @Tag("endurance")
    @ParameterizedTest
    @EnumSource
    void files_cutShorterWhileOpen_areMissesWhateverIsDone(Work work) throws Exception {
        assertMisses(work);
    }

    private void assertMisses(Work work) throws Exception {
        fill(options(directory));

        List<String> said;
        try (Child child = Child.start(Reader.class, directory, work)) {
            said = child.rest();
            assertThat(child.exit()).as("%s said %s", work, said).isZero();
        }

        assertThat(said).hasSize(3).last().isEqualTo("closed");
        if (work != Work.COUNTING) {
            assertThat(said.get(0)).matches("right \\d{1,2} then \\d{1,2}");
            assertThat(said.get(1)).matches("errors [1-9]\\d* samples \\d{1,3}");
        } else {
            assertThat(said.get(0)).isEqualTo("right 400 then 400");
        }
        try (ChronicleTier tier = options(directory).open()) {
            rightReads(tier);
        }
    }

    private static void fill(ChronicleOptions options) {
        try (ChronicleTier tier = options.open()) {
            for (int i = 0; i < SAMPLES; i++) {
                assertThat(Values.put(tier, i)).isTrue();
            }
        }
    }

    @Test
    void values_ofFilesCutShorterWhileOpen_areHeldAgainWithinTheBudget() {
        ChronicleOptions tight = ChronicleTier.at(directory).maxBytes(4 << 20).segmentBytes(1 << 20);
        try (ChronicleTier before = tight.open()) {
            assertThat(epoch(before)).isEqualTo(SAMPLES);
        }
        try (ChronicleTier tier = tight.open()) {
            for (int time = 0; time < 3; time++) {
                cut(directory, ".cq4", LEFT);
                tier.watch(() -> 0).look();
                Mono.defer(tier::flush) // the tier gives the room back when it looks next
                        .repeat(() -> tier.statistics().bytes() > 5 << 18)
                        .blockLast(Values.TIMEOUT);

                assertThat(epoch(tier)).isEqualTo(SAMPLES);
                assertThat(epoch(tier)).isZero();
                assertThat(tier.statistics().refused()).isZero();
                assertThat(tier.statistics().bytes()).isLessThan(4 << 20);
            }
        }
        try (ChronicleTier after = tight.open()) {
            assertThat(epoch(after)).isZero();
        }
    }

    /** Puts what is not found; how many that were. */
    private static int epoch(ChronicleTier tier) {
        int loads = 0;
        for (int i = 0; i < SAMPLES; i++) {
            byte[] found = Values.get(tier, i);
            assertThat(found).isIn(null, Values.value(i));
            if (found == null) {
                loads++;
                Values.put(tier, i);
            }
        }
        tier.flush().block(Values.TIMEOUT);
        return loads;
    }

    @Test
    void watch_ofAFileCutShorter_losesWhatItHolds() {
        fill(options(directory));
        try (ChronicleTier tier = options(directory).open()) {
            cut(directory, ".cq4", LEFT);

            tier.watch(() -> 0).look();

            assertThat(tier.segments()).isEmpty();
            assertThat(tier.statistics().samples()).isZero();
            assertThat(Values.put(tier, 0)).isTrue();
            assertThat(Values.get(tier, 0)).isEqualTo(Values.value(0));
        }
    }
}

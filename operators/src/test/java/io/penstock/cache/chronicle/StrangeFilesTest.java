package io.penstock.cache.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.penstock.cache.Entry;
import io.penstock.cache.Producer;
import io.penstock.cache.chronicle.internal.CacheFiles;
import io.penstock.fault.StoreException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each name in a cache's directory with something else in its place: that costs what it holds, and nothing hangs. */
class StrangeFilesTest {

    private static final int SAMPLES = 60;
    private static final int FIRST_LOG = 30;
    private static final long USED = 1 << 20; // of a file's length the rest is a hole
    private static final Producer PRODUCER = new Producer(List.of("made"), List.of("map decode"), "bytes");

    @TempDir
    static Path whole;

    @TempDir
    static Path copies;

    /** The names, with how many of the samples depend on each. */
    private enum Name {
        FORMAT("format", 0),
        HALF_FORMAT("format.new", 0),
        CONTROL("control", 0),
        LOCKS("locks", 0),
        ONCE("once", 0),
        FILLINGS("fillings", 0),
        LOG("log-000000", FIRST_LOG),
        SEGMENT("log-000000/19700101-0000V.cq4", FIRST_LOG),
        LAST_SEGMENT("log-000001/19700101-0000V.cq4", SAMPLES - FIRST_LOG),
        TABLE("log-000000/metadata.cq4t", 0);

        private final String path;
        private final int samples;

        Name(String path, int samples) {
            this.path = path;
            this.samples = samples;
        }
    }

    /** What may be there instead. */
    private enum Instead {
        DIRECTORY(true) {
            @Override
            void put(Path path) throws IOException {
                Files.createDirectories(path.resolve("something"));
            }
        },
        EMPTY_DIRECTORY(true) {
            @Override
            void put(Path path) throws IOException {
                Files.createDirectory(path);
            }
        },
        LOOP(true) {
            @Override
            void put(Path path) throws IOException {
                Files.createSymbolicLink(path, path.getFileName());
            }
        },
        DANGLING_LINK(true) {
            @Override
            void put(Path path) throws IOException {
                Files.createSymbolicLink(path, Path.of("nowhere", "at-all"));
            }
        },
        PIPE(true) {
            @Override
            void put(Path path) throws IOException {
                make("mkfifo", path.toString());
            }
        },
        DEVICE(true) {
            @Override
            void put(Path path) throws IOException {
                Files.createSymbolicLink(path, Path.of("/dev/zero"));
            }
        },
        NOTHING(false) {
            @Override
            void put(Path path) {}
        },
        EMPTY(false) {
            @Override
            void put(Path path) throws IOException {
                Files.createFile(path);
            }
        },
        SHORT(false) {
            @Override
            void put(Path path) throws IOException {
                Files.write(path, new byte[] {1, 2, 3});
            }
        },
        FOREIGN(false) {
            @Override
            void put(Path path) throws IOException {
                byte[] bytes = new byte[10_000];
                Arrays.fill(bytes, (byte) 'x');
                Files.write(path, bytes);
            }
        },
        LARGE(false) {
            @Override
            void put(Path path) throws IOException {
                try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
                    file.setLength(3L << 30);
                }
            }
        };

        /** Whether that can be told from what belongs there without looking into it. */
        private final boolean strange;

        Instead(boolean strange) {
            this.strange = strange;
        }

        abstract void put(Path path) throws IOException;
    }

    private static void make(String... command) throws IOException {
        try {
            assertThat(new ProcessBuilder(command).start().waitFor()).isZero();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    @BeforeAll
    static void fill() {
        for (int from = 0; from < SAMPLES; from += FIRST_LOG) {
            try (ChronicleTier tier = options(whole).open()) {
                tier.producedBy(PRODUCER);
                for (int i = from; i < from + FIRST_LOG; i++) {
                    assertThat(Values.put(tier, i)).isTrue();
                }
            }
        }
    }

    private static ChronicleOptions options(Path directory) {
        return ChronicleTier.at(directory).maxBytes(64 << 20).segmentBytes(16 << 20);
    }

    private static Stream<Arguments> all() {
        return Stream.of(Name.values())
                .flatMap(name -> Stream.of(Instead.values()).map(instead -> Arguments.of(name, instead)));
    }

    @ParameterizedTest
    @MethodSource("all")
    void anything_inAFilesPlace_costsWhatThatHolds(Name name, Instead instead) throws IOException {
        Path directory = copyWith(name, instead);
        boolean isStrange =
                instead.strange && !(name == Name.LOG && instead.name().endsWith("DIRECTORY"));

        List<Damage> damage = assertTimeoutPreemptively(Values.TIMEOUT, () -> verified(directory));
        int there = assertTimeoutPreemptively(Values.TIMEOUT, () -> rightSamples(directory));
        List<Producer> producers = CacheDirectory.at(directory).producers();

        assertThat(there).isGreaterThanOrEqualTo(SAMPLES - name.samples);
        assertThat(producers).isEqualTo(name == Name.FILLINGS && producers.isEmpty() ? List.of() : List.of(PRODUCER));
        if (isStrange && name != Name.TABLE) {
            assertThat(damage)
                    .anyMatch(
                            found -> found.segment().equals(name.path)
                                    && found.what()
                                            .matches(
                                                    "it is a .* and no (file|directory); delete it|it is a link .*; delete it"));
        }
        assertTimeoutPreemptively(Values.TIMEOUT, () -> clears(directory, name, isStrange));
    }

    /** How many can be got; none is wrong. All others may be put, twice in a row. */
    private static int rightSamples(Path directory) {
        int there = 0;
        for (int run = 0; run < 2; run++) {
            try (ChronicleTier tier = options(directory).open()) {
                tier.producedBy(PRODUCER);
                for (int i = 0; i < SAMPLES; i++) {
                    byte[] found = Values.get(tier, i);
                    assertThat(found).isIn(null, Values.value(i));
                    there += run == 0 && found != null ? 1 : 0;
                    boolean kept = found != null || Values.put(tier, i);
                    assertThat(kept || !tier.accepts(Values.key(i), Entry.UNKNOWN))
                            .isTrue();
                }
                assertThat(tier.statistics().errors()).isLessThan(3);
            }
        }
        return there;
    }

    private static List<Damage> verified(Path directory) {
        List<Damage> damage = new ArrayList<>();
        CacheDirectory.at(directory).verify(bytes -> {}, damage::add);
        return damage;
    }

    private static Void clears(Path directory, Name name, boolean strange) throws IOException {
        try {
            CacheDirectory.at(directory).clear();
        } catch (StoreException e) {
            assertThat(strange && (name == Name.LOCKS || name == Name.ONCE))
                    .as(e.getMessage())
                    .isTrue();
            assertThat(e).hasMessageContaining(name.path).hasMessageContaining("delete it");
            return null;
        }
        Path place = directory.resolve(name.path);
        try (Stream<Path> rest = Files.walk(directory)) {
            assertThat(rest.filter(file -> !Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)))
                    .allMatch(file -> name == Name.LOG && file.equals(place));
        }
        if (Files.exists(place, LinkOption.NOFOLLOW_LINKS)) {
            assertThat(new CacheFiles(directory).foreign())
                    .anyMatch(file -> file.startsWith(place) || place.startsWith(file));
        }
        return null;
    }

    private static Path copyWith(Name name, Instead instead) throws IOException {
        Path copy = Files.createTempDirectory(copies, name + "-" + instead);
        for (Path file : filesIn(whole)) {
            Path relative = whole.relativize(file);
            if (!relative.startsWith(name.path)) {
                copy(file, copy.resolve(relative));
            }
        }
        Files.createDirectories(copy.resolve(name.path).getParent());
        instead.put(copy.resolve(name.path));
        return copy;
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to.getParent());
        try (FileChannel in = FileChannel.open(from);
                RandomAccessFile out = new RandomAccessFile(to.toFile(), "rw")) {
            in.transferTo(0, USED, out.getChannel());
            out.setLength(in.size());
        }
    }

    private static List<Path> filesIn(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(Files::isRegularFile).toList();
        }
    }
}

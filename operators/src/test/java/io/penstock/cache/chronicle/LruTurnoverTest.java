package io.penstock.cache.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cache.Entry;
import io.penstock.cache.Tier;
import io.penstock.cache.chronicle.internal.Location;
import io.penstock.cache.chronicle.internal.Segment;
import io.penstock.cache.chronicle.internal.Segments;
import io.penstock.fault.StoreException;
import io.penstock.testkit.TierKit;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cache on disk that gives up what nobody asked for. */
class LruTurnoverTest {

    private static final int BUDGET = 4 << 20;
    private static final int LENGTH = 10_000;

    @TempDir
    Path directory;

    private ChronicleOptions options() {
        return ChronicleTier.at(directory)
                .maxBytes(BUDGET)
                .pendingBytes(100_000)
                .leastRecentlyUsed();
    }

    private static byte[] value(long number) {
        byte[] value = new byte[LENGTH];
        new SplittableRandom(number).nextBytes(value);
        return value;
    }

    private static void put(Tier tier, int from, int to) {
        for (int i = from; i < to; i++) {
            boolean held = Boolean.TRUE.equals(
                    TierKit.put(tier, Values.key(i), ByteBuffer.wrap(value(i))).block(Values.TIMEOUT));
            assertThat(held).isTrue();
        }
    }

    private static boolean has(Tier tier, int number) {
        byte[] found = Values.get(tier, number);
        assertThat(found).isIn(null, value(number));
        return found != null;
    }

    private static long heldOf(ChronicleTier tier, int from, int to) {
        return IntStream.range(from, to)
                .filter(i -> tier.contains(Values.key(i)))
                .count();
    }

    @Test
    void put_beyondTheBudget_takesThePlaceOfWhatWasPutFirst() {
        try (ChronicleTier tier = options().open()) {
            put(tier, 0, 600);
            tier.flush().block(Values.TIMEOUT);

            long held = tier.statistics().samples();
            assertThat(held).isBetween(250L, 420L);
            assertThat(heldOf(tier, 600 - (int) held, 600)).isEqualTo(held);
            assertThat(tier.statistics().evicted()).isEqualTo(600 - held);
            assertThat(tier.statistics().refused()).isZero();
            assertThat(tier.accepts(Values.key(5_000), Entry.UNKNOWN)).isTrue();
        }
    }

    @Test
    void get_ofSome_keepsThemWhileOthersGo() {
        try (ChronicleTier tier = options().open()) {
            put(tier, 0, 50);
            for (int next = 50; next < 700; next += 50) {
                put(tier, next, next + 50);
                for (int i = 0; i < 50; i++) {
                    assertThat(has(tier, i)).as("%d after %d", i, next).isTrue();
                }
            }
            tier.flush().block(Values.TIMEOUT);

            assertThat(heldOf(tier, 50, 200)).isZero();
        }
    }

    /** If all are asked for none is written again: the first go. */
    @Test
    void get_ofAll_letsTheFirstGo() {
        try (ChronicleTier tier = options().open()) {
            for (int i = 0; i < 600; i++) {
                put(tier, i, i + 1);
                has(tier, i);
            }
            tier.flush().block(Values.TIMEOUT);

            assertThat(tier.statistics().samples()).isBetween(200L, 420L);
            assertThat(heldOf(tier, 550, 600)).isEqualTo(50);
            assertThat(tier.statistics().refused()).isZero();
        }
    }

    @Test
    void put_ofWhatIsThere_countsAsUse() {
        try (ChronicleTier tier = options().open()) {
            for (int next = 50; next < 600; next += 50) {
                put(tier, next, next + 50);
                put(tier, 0, 10);
            }
            tier.flush().block(Values.TIMEOUT);

            assertThat(heldOf(tier, 0, 10)).isEqualTo(10);
        }
    }

    @Test
    void open_again_isWarmAndGoesOnInTheOrderOfWriting() {
        long held;
        try (ChronicleTier tier = options().open()) {
            put(tier, 0, 600);
            tier.flush().block(Values.TIMEOUT);
            held = tier.statistics().samples();
        }
        try (ChronicleTier tier = options().open()) {
            assertThat(tier.statistics().samples()).isEqualTo(held);
            for (int i = 600 - (int) held; i < 600; i++) {
                assertThat(tier.contains(Values.key(i))).isTrue();
            }
            put(tier, 600, 700);
            tier.flush().block(Values.TIMEOUT);

            assertThat(heldOf(tier, 600, 700)).isEqualTo(100);
            assertThat(heldOf(tier, 500, 600)).isEqualTo(100);
            assertThat(heldOf(tier, 600 - (int) held, 600 - (int) held + 30)).isZero();
            assertThat(tier.statistics().errors()).isZero();
        }
    }

    @Test
    void remove_thenManyOthersAndOpenAgain_staysForgotten() {
        try (ChronicleTier tier = options().open()) {
            put(tier, 0, 200);
            for (int i = 0; i < 100; i++) {
                tier.remove(Values.key(i));
            }
            put(tier, 200, 320);
            assertThat(heldOf(tier, 0, 100)).isZero();
        }
        for (int run = 0; run < 3; run++) {
            try (ChronicleTier tier = options().open()) {
                assertThat(heldOf(tier, 0, 100)).isZero();
                put(tier, 1_000 * (run + 1), 1_000 * (run + 1) + 60);
            }
        }
    }

    @Test
    void budget_whileValuesComeAndGo_isKeptOnDisk() throws Exception {
        try (ChronicleTier tier = options().open()) {
            SplittableRandom random = new SplittableRandom(1);
            for (int step = 0; step < 4; step++) {
                put(tier, 200 * step, 200 * step + 200);
                for (int i = 0; i < 40; i++) {
                    has(tier, random.nextInt(200 * step + 200));
                }
                tier.flush().block(Values.TIMEOUT);
                assertThat(occupied()).isLessThanOrEqualTo(BUDGET);
                assertThat(tier.statistics().bytes()).isLessThanOrEqualTo(BUDGET);
            }
        }
    }

    private long occupied() throws Exception {
        Process du = new ProcessBuilder("du", "-sB1", directory.toString()).start();
        String words = new String(du.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(du.waitFor(300, TimeUnit.SECONDS)).isTrue();
        return Long.parseLong(words.split("\\s+", 2)[0]);
    }

    /** A view is of a file that is gone, and stays as it was; its room is not used again while it is held. */
    @Test
    void get_whatIsThenEvicted_staysAsItWas() {
        try (ChronicleTier tier = options().open()) {
            put(tier, 0, 1);
            tier.flush().block(Values.TIMEOUT);
            ByteBuffer view = tier.get(Values.key(0)).block(Values.TIMEOUT);
            put(tier, 1, 800);
            tier.flush().block(Values.TIMEOUT);

            assertThat(tier.contains(Values.key(0))).isFalse();
            assertThat(view).isEqualTo(ByteBuffer.wrap(value(0)));
        }
    }

    @Test
    void damage_toWhatIsAskedForLater_isNotWrittenAgain() throws IOException {
        try (ChronicleTier tier = options().open()) {
            put(tier, 0, 20);
        }
        try (ChronicleTier tier = options().open()) {
            KeptEntry[] first = new KeptEntry[1];
            tier.forEach(entry -> first[0] = entry.key().equals(Values.key(3)) ? entry : first[0]);
            assertThat(has(tier, 3)).isTrue();
            try (FileChannel file = FileChannel.open(directory.resolve(first[0].segment()), StandardOpenOption.WRITE)) {
                file.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), first[0].position() + 500);
            }
            put(tier, 20, 600);
            tier.flush().block(Values.TIMEOUT);

            assertThat(tier.contains(Values.key(3))).isFalse();
            assertThat(tier.statistics().errors()).isEqualTo(1);
        }
    }

    @Test
    void put_ofMoreThanHalf_isRefused() {
        try (ChronicleTier tier = options().open()) {
            put(tier, 0, 100);

            assertThat(TierKit.put(tier, Values.key(7_000), ByteBuffer.allocate(BUDGET / 2))
                            .block(Values.TIMEOUT))
                    .isFalse();
            assertThat(TierKit.put(tier, Values.key(7_001), ByteBuffer.allocate(BUDGET / 3))
                            .block(Values.TIMEOUT))
                    .isTrue();
            tier.flush().block(Values.TIMEOUT);

            assertThat(tier.contains(Values.key(7_001))).isTrue();
        }
    }

    /** Opens a cache that holds, says so, and waits to be ended. */
    static final class Holder {
        public static void main(String[] arguments) throws IOException {
            ChronicleOptions options = ChronicleTier.at(Path.of(arguments[0])).maxBytes(BUDGET);
            try (ChronicleTier tier =
                    (Boolean.parseBoolean(arguments[1]) ? options.leastRecentlyUsed() : options).open()) {
                put(tier, 0, 10);
                tier.flush().block();
                Child.output().println("open");
                System.in.read();
            }
        }
    }

    @Test
    void open_whileAnotherProcessEvicts_isRefusedToAllButThoseWhoLook() throws Exception {
        try (Child other = Child.start(Holder.class, directory, true)) {
            assertThat(other.line()).isEqualTo("open");

            for (ChronicleOptions options : new ChronicleOptions[] {options(), ChronicleTier.at(directory)}) {
                assertThatThrownBy(options::open)
                        .isInstanceOf(StoreException.class)
                        .hasMessageContaining("another process has it open")
                        .hasMessageContaining("lru");
            }
            assertThatThrownBy(() -> ChronicleTier.at(directory).clear()).isInstanceOf(StoreException.class);
            try (ChronicleTier looks = options().readOnly().open()) {
                assertThat(heldOf(looks, 0, 10)).isEqualTo(10);
            }
            other.kill();
        }

        try (ChronicleTier tier = options().open()) {
            assertThat(heldOf(tier, 0, 10)).isEqualTo(10);
        }
    }

    @Test
    void open_toEvictWhileAnotherProcessHolds_isRefused() throws Exception {
        try (Child other = Child.start(Holder.class, directory, false)) {
            assertThat(other.line()).isEqualTo("open");

            assertThatThrownBy(() -> options().open())
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("hold instead");
            try (ChronicleTier tier =
                    ChronicleTier.at(directory).maxBytes(BUDGET).open()) {
                assertThat(heldOf(tier, 0, 10)).isEqualTo(10);
            }
        }
    }

    @Test
    void segments_allNumbersUsed_useThoseOfTheDroppedAgain() {
        Segments segments = new Segments(5, true);
        Segment first = segments.add(Path.of("a", "1"));
        Segment second = segments.add(Path.of("a", "2"));
        segments.add(Path.of("a", "3"));
        segments.add(Path.of("a", "4"));
        long there = Location.of(second, 640);
        segments.drop(second);

        assertThat(segments.of(there)).isNull();
        assertThat(segments.reuses()).isFalse();
        Segment fifth = segments.add(Path.of("a", "5"));

        assertThat(fifth.number).isEqualTo(second.number);
        assertThat(segments.reuses()).isTrue();
        assertThat(segments.of(Location.of(first, 64))).isSameAs(first);
        assertThatThrownBy(() -> segments.add(Path.of("a", "6"))).isInstanceOf(IllegalStateException.class);
        Segments holding = new Segments(3, false);
        holding.drop(holding.add(Path.of("a", "1")));
        holding.add(Path.of("a", "2"));
        assertThatThrownBy(() -> holding.add(Path.of("a", "3"))).hasMessageContaining("more than 2 segments");
    }
}

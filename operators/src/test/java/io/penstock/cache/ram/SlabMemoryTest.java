package io.penstock.cache.ram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.penstock.cache.Tier;
import io.penstock.cache.internal.ByteBudget;
import io.penstock.tensor.Encoded;
import io.penstock.testkit.TierKit;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The RAM tier without a memory file system is a tier, and with one that is full, too. */
class SlabMemoryTest extends TierKit {

    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    @Override
    protected Set<Trait> traits() {
        return Set.of(Trait.ANSWERS_GROUPS, Trait.SPARES_GIVE_WAY);
    }

    @Override
    protected Tier open(long bytes) {
        return new RamTier(bytes, new SlabMemory(List.of(Path.of("/var/tmp"), Path.of("/tmp"))));
    }

    private static boolean isNamed() throws IOException {
        try (Stream<Path> files = Files.list(SHARED_MEMORY)) {
            return files.anyMatch(file -> file.toString().endsWith(".slab"));
        }
    }

    private static Encoded value(int length) {
        return Encoded.of(ByteBuffer.wrap(valueOf(1, length)));
    }

    @Test
    void reserve_whileOthersKeepEnoughSharedMemory_isAFileThatLeavesNoName() throws IOException {
        assumeThat(Files.isDirectory(SHARED_MEMORY)).isTrue();
        Slabs slabs = new Slabs(new ByteBudget(64 << 20), SlabMemory.ofSystem(), Slab.FEW_PARTS);

        Room room = slabs.reserve(100_000, 0);
        room.fill(value(100_000));
        slabs.finish(room, true);

        assumeThat(room.slab().isFile()).isTrue(); // where half of it is in use, memory is mapped
        assertThat(slabs.numbered.view(room.location())).isEqualTo(ByteBuffer.wrap(valueOf(1, 100_000)));
        while (isNamed()) { // for a moment, by another test
            LockSupport.parkNanos(1_000_000);
        }
        slabs.close();
    }

    /** Small values are written by a call or through the mapping, and large ones by calls. */
    @Test
    void fill_ofManyLengthsInAnyOrder_keepsEach() throws IOException {
        Slabs slabs = new Slabs(new ByteBudget(64 << 20), SlabMemory.ofSystem(), Slab.FEW_PARTS);
        List<Room> rooms = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            rooms.add(slabs.reserve(i * 37 % 5_000, 0));
        }

        for (int i = 0; i < 1_000; i++) {
            int at = i * 7 % 1_000;
            rooms.get(at).fill(Encoded.of(ByteBuffer.wrap(valueOf(at, at * 37 % 5_000))));
        }

        for (int i = 0; i < 1_000; i++) {
            assertThat(slabs.numbered.view(rooms.get(i).location()))
                    .isEqualTo(ByteBuffer.wrap(valueOf(i, i * 37 % 5_000)));
        }
        slabs.close();
    }

    @Test
    void finish_ofTheLastValue_mapsAllPages() throws IOException {
        Slabs slabs = new Slabs(new ByteBudget(64 << 20), SlabMemory.ofSystem(), Slab.FEW_PARTS);
        Room room = slabs.reserve(5_001_216, 0);
        assumeThat(room.slab().isFile()).isTrue();
        room.fill(value(5_001_216));
        assertThat(resident(5_001_216)).isZero();

        slabs.finish(room, true);

        while (resident(5_001_216) < 5_001_216) { // by another thread
            Thread.onSpinWait();
        }
        slabs.close();
    }

    /** The bytes in memory of a mapped slab of a size. */
    private static long resident(int bytes) throws IOException {
        List<String> lines = Files.readAllLines(Path.of("/proc/self/smaps"), StandardCharsets.ISO_8859_1);
        for (int i = 0; i < lines.size() - 1; i++) {
            if (lines.get(i).contains("penstock-") && kilobytes(lines.get(i + 1)) == bytes / 1024) {
                return lines.stream()
                                .skip(i)
                                .filter(line -> line.startsWith("Rss:"))
                                .mapToLong(SlabMemoryTest::kilobytes)
                                .findFirst()
                                .orElseThrow()
                        * 1024;
            }
        }
        throw new IllegalStateException("no slab of " + bytes + " bytes is mapped");
    }

    private static long kilobytes(String line) {
        return Long.parseLong(line.replaceAll("[^0-9]", ""));
    }

    @Test
    void fill_whereTheSystemHasNoMoreMemory_failsAndTheNextSlabIsMapped() throws IOException {
        Slabs slabs = new Slabs(new ByteBudget(64 << 20), SlabMemory.ofSystem(), Slab.FEW_PARTS);
        Room first = slabs.reserve(1_000, 0);
        Room second = slabs.reserve(10_000, 0);
        first.fill(value(1_000));
        slabs.finish(first, true);
        assumeThat(first.slab().isFile()).isTrue();
        first.slab().seal(); // as little can be written now as into a full file system

        assertThatThrownBy(() -> second.fill(value(10_000))).isInstanceOf(IOException.class);
        slabs.endEarly(second.slab(), new IOException("full"));
        slabs.finish(second, false);
        Room third = slabs.reserve(1_000, 0);
        third.fill(value(1_000));

        assertThat(third.slab()).isNotSameAs(second.slab());
        assertThat(third.slab().isFile()).isFalse();
        assertThat(slabs.numbered.view(first.location())).isEqualTo(ByteBuffer.wrap(valueOf(1, 1_000)));
        assertThat(slabs.numbered.view(third.location())).isEqualTo(ByteBuffer.wrap(valueOf(1, 1_000)));
        slabs.close();
    }
}

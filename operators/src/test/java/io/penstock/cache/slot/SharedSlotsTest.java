package io.penstock.cache.slot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cache.slot.SharedSlots.State;
import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.tensor.DType;
import io.penstock.tensor.Encoded;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.nio.ReadOnlyBufferException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SharedSlotsTest {

    private static final SlotLayout LAYOUT = SlotLayout.of(100, DType.U8, 3, 8, 8);
    private static final int OVERHEAD = SlotFile.SLOTS + SlotFile.PAGE - 1;

    private final SlotsFixture fixture = new SlotsFixture();

    @AfterEach
    void delete() {
        fixture.close();
    }

    private static Tensor sample(long index) {
        return SlotsFixture.sample(index, 0, DType.U8, 3, 8, 8);
    }

    private SharedSlots open() {
        return SharedSlots.at(fixture.file).open(LAYOUT);
    }

    private static long room(long slots) {
        return OVERHEAD + slots * (LAYOUT.sampleBytes() + SlotFile.SLOT_BYTES);
    }

    @Test
    void file_cutShorterWhileOpen_readsAsEmpty() throws IOException {
        try (SharedSlots slots = open()) {
            slots.put(7, sample(7));
            slots.put(99, sample(99));
            try (FileChannel channel = FileChannel.open(fixture.file, StandardOpenOption.WRITE)) {
                channel.truncate(0);
            }

            assertThat(slots.get(99)).isEmpty();
            assertThat(slots.get(7)).isEmpty();
            assertThat(slots.state(7)).isEqualTo(State.EMPTY);
            assertThat(slots.put(8, sample(8))).isFalse();
            assertThat(slots.size()).isZero();
        }
    }

    @Test
    void open_whereNoFileIs_isRefusedAndDoesNotWait(@TempDir Path folder) throws Exception {
        Path loop = Files.createSymbolicLink(folder.resolve("loop"), Path.of("loop"));
        Path pipe = folder.resolve("pipe");
        int made = new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor();

        assertThat(made).isZero();
        for (Path path : new Path[] {loop, pipe, folder, Path.of("/dev/zero"), Path.of("")}) {
            assertThatThrownBy(() -> SharedSlots.at(path).open(LAYOUT))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("it is no file; choose another name");
        }
    }

    @Test
    void get_afterPut_isTheSample() {
        try (SharedSlots slots = open()) {
            assertThat(slots.get(7)).isEmpty();
            assertThat(slots.put(7, sample(7))).isTrue();

            assertThat(slots.get(7)).contains(sample(7));
            assertThat(slots.get(8)).isEmpty();
            assertThat(slots.size()).isEqualTo(1);
            assertThat(slots.state(7)).isEqualTo(State.SET);
            assertThat(slots.state(8)).isEqualTo(State.EMPTY);
        }
    }

    /** An image that is black everywhere is a sample like any other. */
    @Test
    void get_ofASampleOfZeros_isAHit() {
        try (SharedSlots slots = open()) {
            Tensor black = Tensor.ofBytes(new byte[192], 3, 8, 8);

            slots.put(0, black);

            assertThat(slots.get(0)).contains(black);
        }
    }

    @Test
    void put_twice_keepsTheFirstAndRaisesNothing() {
        try (SharedSlots slots = open()) {
            slots.put(1, sample(1));

            assertThat(slots.put(1, sample(2))).isTrue();

            assertThat(slots.get(1)).contains(sample(1));
        }
    }

    @Test
    void get_view_cannotBeWrittenThrough() {
        try (SharedSlots slots = open()) {
            slots.put(1, sample(1));
            Tensor view = slots.get(1).orElseThrow();

            assertThatThrownBy(() -> view.data().put(0, (byte) 1)).isInstanceOf(ReadOnlyBufferException.class);
            assertThatThrownBy(() -> slots.tensor().data().put(0, (byte) 1))
                    .isInstanceOf(ReadOnlyBufferException.class);
        }
    }

    @Test
    void put_ofAnotherDtypeOrShape_isRefusedNotConverted() {
        try (SharedSlots slots = open()) {
            assertThatThrownBy(() -> slots.put(0, SlotsFixture.sample(0, 0, DType.F32, 3, 8, 8)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("a slot takes u8[3, 8, 8], was f32[3, 8, 8]; convert it first");
            assertThatThrownBy(() -> slots.put(0, SlotsFixture.sample(0, 0, DType.U8, 1, 8, 8)))
                    .hasMessage("a slot takes u8[3, 8, 8], was u8[1, 8, 8]; convert it first");
            assertThatThrownBy(() -> slots.put(0, SlotsFixture.sample(0, 0, DType.I8, 3, 8, 8)))
                    .hasMessage("a slot takes u8[3, 8, 8], was i8[3, 8, 8]; convert it first");
            assertThat(slots.size()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 100, Long.MIN_VALUE, Long.MAX_VALUE})
    void index_ofNoSample_isRefused(long index) {
        try (SharedSlots slots = open()) {
            String message = "index must be in [0, 100), was " + index;

            assertThatThrownBy(() -> slots.get(index))
                    .isInstanceOf(IndexOutOfBoundsException.class)
                    .hasMessage(message);
            assertThatThrownBy(() -> slots.put(index, sample(0))).hasMessage(message);
            assertThatThrownBy(() -> slots.state(index)).hasMessage(message);
        }
    }

    @Test
    void openWithin_roomForSome_holdsTheFirstIndices() {
        try (SharedSlots slots = SharedSlots.at(fixture.file).maxBytes(room(10)).open(LAYOUT)) {
            for (int i = 0; i < 100; i++) {
                assertThat(slots.put(i, sample(i))).isEqualTo(i < 10);
            }

            assertThat(slots.capacity()).isEqualTo(10);
            assertThat(slots.size()).isEqualTo(10);
            assertThat(fixture.file)
                    .satisfies(file -> assertThat(Files.size(file)).isLessThanOrEqualTo(room(10)));
            for (int i = 0; i < 100; i++) {
                assertThat(slots.get(i).isPresent()).isEqualTo(i < 10);
                assertThat(slots.state(i)).isEqualTo(i < 10 ? State.SET : State.OUT_OF_RANGE);
            }
            assertThat(slots.tensor().shape()).isEqualTo(Shape.of(10, 3, 8, 8));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 0, 1, 191, OVERHEAD + 192 + 23})
    void openWithin_lessThanOneSample_saysWhatIsNeeded(long bytes) {
        assertThatThrownBy(() -> SharedSlots.at(fixture.file).maxBytes(bytes).open(LAYOUT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "slots of %d bytes at %s cannot hold one sample of 192 bytes; give them at least %d or leave them out"
                                .formatted(bytes, fixture.file, room(1)));
        assertThat(fixture.file).doesNotExist();

        SharedSlots.at(fixture.file).maxBytes(room(1)).open(LAYOUT).close();
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -0.5, 1.01, Double.NaN})
    void openWithinShare_notAShare_isRefused(double share) {
        assertThatThrownBy(
                        () -> SharedSlots.at(fixture.file).maxFreeShare(share).open(LAYOUT))
                .hasMessage("the share of free memory must be in (0, 1], was " + share);
    }

    @Test
    void openWithinShare_ofWhatIsFree_keepsToIt() {
        SlotLayout large = SlotLayout.of(1 << 20, DType.U8, 1 << 20);
        long share = SharedMemory.at(fixture.file).free() / 1000;

        try (SharedSlots slots =
                SharedSlots.at(fixture.file).maxFreeShare(0.001).open(large)) {
            assertThat(slots.capacity() << 20).isBetween(share / 2, share + (1 << 20));
        }
    }

    @Test
    void open_again_findsWhatWasPut() {
        try (SharedSlots slots = open()) {
            slots.put(1, sample(1));
        }
        try (SharedSlots slots = open();
                SharedSlots other = SharedSlots.at(fixture.file).maxBytes(1).open(LAYOUT)) {
            assertThat(slots.get(1)).contains(sample(1));

            other.put(2, sample(2));

            assertThat(slots.get(2)).contains(sample(2));
            assertThat(other.capacity()).isEqualTo(100);
        }
    }

    @Test
    void open_afterItWasDeleted_isEmptyAndApart() throws IOException {
        try (SharedSlots old = open()) {
            old.put(1, sample(1));
            Files.delete(fixture.file);
            try (SharedSlots slots = open()) {
                assertThat(slots.get(1)).isEmpty();
                assertThat(old.get(1)).contains(sample(1));
            }
        }
    }

    @Test
    void open_withAnotherLayout_saysBoth() {
        open().close();
        SlotLayout[] others = {
            SlotLayout.of(101, DType.U8, 3, 8, 8),
            SlotLayout.of(100, DType.I8, 3, 8, 8),
            SlotLayout.of(100, DType.U8, 192)
        };

        for (SlotLayout other : others) {
            assertThatThrownBy(() -> SharedSlots.at(fixture.file).open(other))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(
                            ("cannot open slots at %s: they are for 100 x u8[3, 8, 8], must be for %s; delete the file"
                                            + " or choose another name")
                                    .formatted(fixture.file, other));
        }
        assertThat(fixture.file).exists();
    }

    @Test
    void open_ofAForeignFile_leavesItAlone() throws IOException {
        Files.writeString(fixture.file, "somebody's notes");

        assertThatThrownBy(this::open)
                .isInstanceOf(FormatException.class)
                .hasMessage("%s is not a file of slots; choose another name".formatted(fixture.file));
        assertThat(fixture.file).hasContent("somebody's notes");
    }

    @Test
    void open_ofADamagedHeader_isRefused() throws IOException {
        open().close();
        byte[] whole = Files.readAllBytes(fixture.file);
        for (int at = 8; at < SlotHeader.BYTES; at++) {
            byte[] damaged = whole.clone();
            damaged[at] = (byte) (damaged[at] ^ 1 << at % 8);
            Files.write(fixture.file, damaged);

            assertThatThrownBy(this::open).as("byte %d", at).isInstanceOf(FormatException.class);
        }
        Files.write(fixture.file, java.util.Arrays.copyOf(whole, whole.length - 1));

        assertThatThrownBy(this::open)
                .hasMessage("%s is damaged: its header does not fit its %d bytes; delete it"
                        .formatted(fixture.file, whole.length - 1));
    }

    @Test
    void open_ofAFileNobodyFinished_makesItAnew() throws IOException {
        open().close();
        try (FileChannel channel = FileChannel.open(fixture.file, StandardOpenOption.WRITE)) {
            channel.write(java.nio.ByteBuffer.wrap("PENSLOT?".getBytes(java.nio.charset.StandardCharsets.US_ASCII)), 0);
            channel.truncate(5_000);
        }

        try (SharedSlots slots = open()) {
            assertThat(slots.put(99, sample(99))).isTrue();
            assertThat(slots.get(99)).contains(sample(99));
        }
    }

    /** States may have reached a disk before the bytes they speak of. */
    @Test
    void open_ofAFileOfAnotherBoot_beginsEmpty() throws IOException {
        try (SharedSlots slots = open()) {
            slots.put(1, sample(1));
        }
        SlotHeader header = new SlotHeader(LAYOUT, 100, ProcessId.bootNow() + 1);
        try (FileChannel channel = FileChannel.open(fixture.file, StandardOpenOption.WRITE)) {
            channel.write(header.encode(), 0);
        }

        try (SharedSlots slots = open()) {
            assertThat(slots.get(1)).isEmpty();
        }
    }

    @Test
    void open_whereThereIsNoRoom_saysHowMuchThereIs() {
        SlotLayout huge = SlotLayout.of(1 << 20, DType.U8, 1 << 28);

        assertThatThrownBy(() -> SharedSlots.at(fixture.file).open(huge))
                .isInstanceOf(StoreException.class)
                .hasMessageStartingWith("cannot reserve %d bytes for slots at %s: "
                        .formatted(SlotHeader.fileLength(huge, 1 << 20), fixture.file))
                .hasMessageContaining(" bytes are free there, of which a margin stays free; give them ");
        assertThat(fixture.file).doesNotExist();
    }

    /** A memory file system of 32 MiB, where the test may make one. */
    @Test
    void open_onASmallFileSystem_takesItsSpaceAtOnceOrRefuses(@TempDir Path folder) throws Exception {
        Assumptions.assumeTrue(
                run("mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", folder.toString()) == 0,
                "may not mount a file system");
        try {
            Path file = folder.resolve("slots");
            assertThat(SharedMemory.at(file)).isEqualTo(new SharedMemory(32 << 20, 32 << 20, true));
            assertThatThrownBy(() -> SharedSlots.at(file).open(SlotLayout.of(32, DType.U8, 1 << 20)))
                    .hasMessageEndingWith("or enlarge the memory file system (in a container --shm-size)");
            assertThat(file).doesNotExist();

            try (SharedSlots slots = SharedSlots.at(file).open(SlotLayout.of(30, DType.U8, 1 << 20))) {
                assertThat(SharedMemory.at(file).free()).isLessThan(2 << 20);
                Path filler = folder.resolve("filler");
                assertThatThrownBy(() -> Files.write(filler, new byte[2 << 20])).hasMessageContaining("No space");
                for (int i = 0; i < 30; i++) {
                    Tensor sample = SlotsFixture.sample(i, 0, DType.U8, 1 << 20);
                    assertThat(slots.put(i, sample)).isTrue();
                    assertThat(slots.get(i)).contains(sample);
                }
            }
        } finally {
            run("umount", "-l", folder.toString());
        }
    }

    private static int run(String... command) throws Exception {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        return process.waitFor(300, TimeUnit.SECONDS) ? process.exitValue() : -1;
    }

    @Test
    void tensor_ofAllSlots_isTheSharedMemoryItself() {
        try (SharedSlots slots = open()) {
            Tensor all = slots.tensor();
            slots.put(3, sample(3));

            assertThat(all.dtype()).isEqualTo(DType.U8);
            assertThat(all.shape()).isEqualTo(Shape.of(100, 3, 8, 8));
            assertThat(all.row(3)).isEqualTo(sample(3));
            assertThat(slots.tensor(3, 5).row(0)).isEqualTo(sample(3));
            assertThatThrownBy(() -> slots.tensor(3, 101)).hasMessage("slots must be in [0, 100), were [3, 101)");
        }
    }

    /** Three mappings, and a sample on each side of their borders. */
    @Test
    void slots_ofMoreThanTwoGigabytes_workAcrossMappings() {
        int width = 3 << 20;
        SlotLayout layout = SlotLayout.of(720, DType.U8, width);
        Assumptions.assumeTrue(
                SharedMemory.at(fixture.file).spare() > 2 * SlotHeader.fileLength(layout, 720),
                "not enough shared memory is free");
        int[] indices = {0, 340, 341, 681, 682, 719};
        try (SharedSlots slots = SharedSlots.at(fixture.file).open(layout)) {
            for (int index : indices) {
                assertThat(slots.put(index, SlotsFixture.sample(index, 0, DType.U8, width)))
                        .isTrue();
            }

            for (int index : indices) {
                assertThat(slots.get(index)).contains(SlotsFixture.sample(index, 0, DType.U8, width));
            }
            assertThat(slots.size()).isEqualTo(indices.length);
            assertThatThrownBy(slots::tensor)
                    .hasMessage(
                            "slots [0, 720) are 2264924160 bytes, a tensor has at most 2147483647; take 682 slots at a time");
            Tensor part = slots.tensor(340, 682);
            assertThat(part.row(0)).isEqualTo(SlotsFixture.sample(340, 0, DType.U8, width));
            assertThat(part.row(341)).isEqualTo(SlotsFixture.sample(681, 0, DType.U8, width));
        }
    }

    @Test
    void clear_whileViewsAreHeld_forgetsWithoutTouchingThem() {
        try (SharedSlots slots = open();
                SharedSlots other = open()) {
            slots.put(1, sample(1));
            Tensor view = other.get(1).orElseThrow();

            slots.clear();

            assertThat(slots.get(1)).isEmpty();
            assertThat(other.get(1)).isEmpty();
            assertThat(slots.size()).isZero();
            slots.put(1, sample(2));
            slots.put(2, sample(2));
            assertThat(view).isEqualTo(sample(1));
            assertThat(slots.get(2)).contains(sample(2));
            assertThat(slots.get(1)).as("somebody looks at what was there").isEmpty();
        }
    }

    @Test
    void clear_onceNobodyLooksAnyMore_makesRoomAgain() {
        try (SharedSlots slots = open()) {
            slots.put(1, sample(1));
            assertThat(slots.get(1)).contains(sample(1));
            slots.clear();

            boolean again = slots.put(1, sample(2));
            for (long end = System.nanoTime() + 20_000_000_000L; !again && System.nanoTime() < end; ) {
                System.gc();
                again = slots.put(1, sample(2));
            }

            assertThat(slots.get(1)).contains(sample(2));
        }
    }

    @Test
    void close_thenEverythingElse_isEmptyAndViewsStay() {
        SharedSlots slots = open();
        slots.put(1, sample(1));
        Tensor view = slots.get(1).orElseThrow();

        slots.close();
        slots.close();

        assertThat(view).isEqualTo(sample(1));
        assertThat(slots.get(1)).isEmpty();
        assertThat(slots.put(2, sample(2))).isFalse();
        assertThat(slots.size()).isZero();
        assertThatThrownBy(slots::tensor).isInstanceOf(IllegalStateException.class);
    }

    /** What goes wrong while a sample is being written leaves its slot as it was. */
    @Test
    void put_thatFailsInTheMiddle_leavesTheSlotEmpty() {
        try (SharedSlots slots = open()) {
            SlotView face =
                    new SlotView(SlotFile.open(fixture.file, LAYOUT, there -> Long.MAX_VALUE), SlotKeys.INDICES);
            assertThatThrownBy(() -> face.put(99, Encoded.of(java.nio.ByteBuffer.allocate(193))))
                    .isInstanceOf(IndexOutOfBoundsException.class);

            assertThat(slots.state(99)).isEqualTo(State.EMPTY);
            assertThat(slots.put(99, sample(99))).isTrue();
        }
    }

    @Test
    void put_ofOneIndexByTwoThreads_keepsOneSampleWhole() {
        SlotLayout layout = SlotLayout.of(30, DType.U8, 1 << 20);
        try (SharedSlots slots = SharedSlots.at(fixture.file).open(layout)) {
            Tensor[] versions = {
                SlotsFixture.sample(0, 0, DType.U8, 1 << 20), SlotsFixture.sample(0, 1, DType.U8, 1 << 20)
            };
            for (int i = 0; i < 30; i++) {
                int index = i;

                IntStream.range(0, 2).parallel().forEach(version -> slots.put(index, versions[version]));

                assertThat(slots.get(index).orElseThrow()).isIn((Object[]) versions);
            }
        }
    }

    @Test
    void slots_manyThreads_neverTear() throws Exception {
        SlotLayout layout = SlotLayout.of(2_000, DType.U8, 20_000);
        AtomicInteger hits = new AtomicInteger();
        try (SharedSlots slots = SharedSlots.at(fixture.file).open(layout)) {
            AtomicInteger next = new AtomicInteger();
            IntStream.range(0, 3).parallel().forEach(thread -> {
                for (int i = next.get(); i < 2_000; i = next.get()) {
                    if (thread == 0) {
                        slots.put(i, SlotsFixture.sample(i, 0, DType.U8, 20_000));
                        next.incrementAndGet();
                    }
                    int index = i;
                    slots.get(index).ifPresent(found -> {
                        hits.incrementAndGet();
                        assertThat(found).isEqualTo(SlotsFixture.sample(index, 0, DType.U8, 20_000));
                    });
                }
            });
        }
        assertThat(hits).hasPositiveValue();
    }
}

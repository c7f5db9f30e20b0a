package io.penstock.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.kit.CountingStore;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.stream.Sample;
import io.penstock.tensor.Tensor;
import io.penstock.testkit.DatasetKit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

class RecordFilesTest extends DatasetKit<Tensor> {

    private static final int RECORD = 16;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @BeforeEach
    void write() throws IOException {
        write("b.bin", 3, 10);
        write("a.bin", 2, 0);
        write("empty.bin", 0, 0);
        write("z/c.bin", 1, 20);
    }

    /** Records whose bytes all are their number in the file, shifted. */
    private void write(String name, int records, int shift) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.write(file, bytes(records, shift));
    }

    private static byte[] bytes(int records, int shift) {
        byte[] bytes = new byte[records * RECORD];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (shift + i / RECORD);
        }
        return bytes;
    }

    @Override
    protected Dataset<Tensor> open() {
        return RecordFiles.open(folder, RECORD);
    }

    @Override
    protected Tensor expected(long index) {
        return Tensor.ofBytes(bytes(1, new int[] {0, 1, 10, 11, 12, 20}[(int) index]));
    }

    @Override
    protected void change(long index) throws IOException {
        assertThat(index).isEqualTo(1);
        touch(folder.resolve("a.bin"));
    }

    private static void touch(Path file) throws IOException {
        Files.setLastModifiedTime(
                file, FileTime.fromMillis(Files.getLastModifiedTime(file).toMillis() + 1));
    }

    @Override
    protected boolean share(long one, long other) {
        return (one < 2) == (other < 2); // the first two lie in one file
    }

    @Test
    void name_ofRecord_isItsFileAndOffset() {
        Dataset<Tensor> records = open();

        List<String> names = new ArrayList<>();
        for (long index = 0; index < records.size(); index++) {
            names.add(records.name(index));
        }

        assertThat(names).containsExactly("a.bin@0", "a.bin@16", "b.bin@0", "b.bin@16", "b.bin@32", "z/c.bin@0");
    }

    @Test
    void open_oneFile_hasItsRecordsAlone() {
        RecordFiles records = RecordFiles.open(folder.resolve("b.bin"), RECORD);

        assertThat(records.size()).isEqualTo(3);
        assertThat(records.name(2)).isEqualTo("b.bin@32");
        StepVerifier.create(records.get(2)).expectNext(expected(4)).verifyComplete();
    }

    @Test
    void open_pattern_hasTheFilesOfThatFolderThatMatch() throws IOException {
        write(".hidden.bin", 1, 99);
        write("notes.txt", 1, 99);

        RecordFiles records = RecordFiles.open(folder.resolve("[!e]*.bin"), RECORD);

        assertThat(records.size()).isEqualTo(5);
    }

    @Test
    void open_list_isInTheOrderOfPathsNotOfTheList() {
        RecordFiles records = RecordFiles.open(List.of(folder.resolve("z/c.bin"), folder.resolve("a.bin")), RECORD);

        assertThat(records.name(0)).isEqualTo("a.bin@0");
        StepVerifier.create(records.get(2)).expectNext(expected(5)).verifyComplete();
    }

    @Test
    void key_sameFileOpenedAnotherWay_isTheSameOnlyForTheSameRecordSize() {
        Path file = folder.resolve("z/c.bin");
        RecordFiles alone = RecordFiles.open(file, RECORD);
        RecordFiles halves = RecordFiles.open(file, RECORD / 2);

        assertThat(alone.id(0).key()).isEqualTo(open().id(5).key());
        assertThat(halves.id(0).key()).isNotEqualTo(alone.id(0).key());
    }

    @Test
    void open_lengthThatDoesNotFit_saysFileLengthAndRecordSize() throws IOException {
        Files.write(folder.resolve("b.bin"), new byte[3 * RECORD + 1]);

        assertThatThrownBy(this::open)
                .isInstanceOf(FormatException.class)
                .hasMessage("b.bin in " + folder.toRealPath()
                        + " is not made of records of 16 bytes: its 49 bytes are 3 records and 1 bytes over; "
                        + "check the record size, and whether the file is complete");
    }

    @Test
    void open_nothingThere_saysWhatIsMissing() throws IOException {
        Path none = folder.resolve("none.bin");
        Path empty = folder.resolve("empty.bin");
        Path bare = Files.createDirectory(folder.resolve("bare"));

        assertThatThrownBy(() -> RecordFiles.open(none, RECORD))
                .isInstanceOf(StoreException.class)
                .hasMessage("cannot read " + none + ": no such file or folder");
        assertThatThrownBy(() -> RecordFiles.open(empty, RECORD))
                .isInstanceOf(StoreException.class)
                .hasMessageEndingWith(": empty");
        assertThatThrownBy(() -> RecordFiles.open(bare, RECORD))
                .isInstanceOf(StoreException.class)
                .hasMessage("no records in " + bare + ": no file below it");
        assertThatThrownBy(() -> RecordFiles.open(folder.resolve("*.npy"), RECORD))
                .isInstanceOf(StoreException.class)
                .hasMessage("no records in " + folder + ": no file matches *.npy");
    }

    @Test
    void open_wrongArguments_areRefused() {
        Path file = folder.resolve("a.bin");

        assertThatThrownBy(() -> RecordFiles.open(file, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("record size must be at least 1 byte, was 0");
        assertThatThrownBy(() -> RecordFiles.open(List.of(), 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("name at least one file of records");
        assertThatThrownBy(() -> RecordFiles.open(List.of(file, folder.resolve("z/../a.bin")), 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a file of records is named twice: a.bin");
    }

    @Test
    void get_fileShrunkWhileOpen_isAStoreExceptionThatSaysSo() throws IOException {
        RecordFiles records = RecordFiles.open(folder.resolve("b.bin"), RECORD);
        StepVerifier.create(records.get(0)).expectNextCount(1).verifyComplete();

        try (var channel = Files.newByteChannel(folder.resolve("b.bin"), StandardOpenOption.WRITE)) {
            channel.truncate(2 * RECORD + 3);
        }

        Path root = folder.toRealPath();
        StepVerifier.create(records.get(2))
                .verifyErrorSatisfies(e -> assertThat(e)
                        .isInstanceOf(StoreException.class)
                        .hasMessage("b.bin in " + root
                                + " changed since it was listed: had 48 bytes, now has 35 or fewer;"
                                + " open the data again"));
    }

    @Test
    void get_fileRewrittenBeforeFirstRead_isAStoreException() throws IOException {
        RecordFiles records = RecordFiles.open(folder.resolve("b.bin"), RECORD);

        touch(folder.resolve("b.bin"));

        StepVerifier.create(records.get(0))
                .verifyErrorSatisfies(e -> assertThat(e)
                        .isInstanceOf(StoreException.class)
                        .hasMessageContaining("had 48 bytes, now was written at"));
    }

    @Test
    void get_moreFilesThanStayOpen_readsThemAll() throws IOException {
        for (int i = 0; i < 300; i++) {
            write("many/%03d".formatted(i), 2, i);
        }
        RecordFiles records = RecordFiles.open(folder.resolve("many"), RECORD);

        List<Tensor> values = Flux.range(0, 600)
                .flatMapSequential(i -> records.get(i * 7 % 600), 64)
                .collectList()
                .block();

        assertThat(values).hasSize(600);
        for (int i = 0; i < 600; i++) {
            int record = i * 7 % 600;
            assertThat(values.get(i)).isEqualTo(Tensor.ofBytes(bytes(1, record / 2 + record % 2)));
        }
    }

    @Test
    void get_afterClose_saysThatItIsClosed() {
        RecordFiles records = RecordFiles.open(folder, RECORD);
        StepVerifier.create(records.get(0)).expectNextCount(1).verifyComplete();

        records.close();
        records.close();

        StepVerifier.create(records.get(0))
                .verifyErrorSatisfies(e -> assertThat(e)
                        .isInstanceOf(StoreException.class)
                        .hasMessage("cannot read a.bin: its store is closed"));
    }

    @Test
    void get_fileOverwrittenWhileBlocksAreHeld_givesWhatWasListedOrFails() throws IOException {
        int each = 1024;
        Path file = folder.resolve("a.bin");
        byte[] ones = new byte[8 << 20];
        Arrays.fill(ones, (byte) 1);
        Files.write(file, ones);
        try (RecordFiles records = RecordFiles.open(file, each)) {
            List<Tensor> came = new ArrayList<>();

            StepVerifier.create(Flux.range(0, ones.length / each)
                            .doOnNext(i -> {
                                if (i == 1000) {
                                    overwrite(file, new byte[ones.length]);
                                }
                            })
                            .concatMap(records::get)
                            .doOnNext(came::add)
                            .then())
                    .expectErrorMatches(
                            e -> e instanceof StoreException && e.getMessage().contains("a.bin"))
                    .verify();
            assertThat(came).hasSizeGreaterThanOrEqualTo(1000).containsOnly(Tensor.ofBytes(Arrays.copyOf(ones, each)));
        }
    }

    private static void overwrite(Path file, byte[] bytes) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(bytes), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void stream_inOrder_readsNeighboursTogether() {
        CountingStore store = new CountingStore();
        store.put("a", bytes(1000, 0)).put("b", bytes(1000, 100));
        RecordFiles records = RecordFiles.open(store, List.of("a", "b"), RECORD);
        store.asked();

        List<Sample<Tensor>> samples =
                records.stream(Sampler.sequential()).collectList().block();

        for (int index = 0; index < 2000; index++) {
            byte[] expected = bytes(1, index < 1000 ? index : index - 1000 + 100);
            assertThat(samples.get(index).value()).isEqualTo(Tensor.ofBytes(expected));
        }
        assertThat(store.asked().size()).isLessThan(20);
    }

    @Property(tries = 100)
    void get_anySplitIntoFiles_isTheSameAsOneFile(
            @ForAll @Size(min = 1, max = 6) List<@IntRange(max = 4) Integer> counts,
            @ForAll @IntRange(min = 1, max = 9) int recordBytes)
            throws IOException {
        Path root = Files.createTempDirectory("records");
        try {
            assertSplitIsRead(root, counts, recordBytes);
        } finally {
            for (int file = 0; file < counts.size(); file++) {
                Files.deleteIfExists(root.resolve(Integer.toString(file)));
            }
            Files.delete(root);
        }
    }

    private static void assertSplitIsRead(Path root, List<Integer> counts, int recordBytes) throws IOException {
        List<String> expected = new ArrayList<>();
        List<Byte> first = new ArrayList<>();
        for (int file = 0; file < counts.size(); file++) {
            byte[] bytes = new byte[counts.get(file) * recordBytes];
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) (file * 31 + i);
                if (i % recordBytes == 0) {
                    expected.add(file + "@" + i);
                    first.add(bytes[i]);
                }
            }
            Files.write(root.resolve(Integer.toString(file)), bytes);
        }
        if (expected.isEmpty()) {
            assertThatThrownBy(() -> RecordFiles.open(root, recordBytes)).isInstanceOf(StoreException.class);
            return;
        }

        try (RecordFiles records = RecordFiles.open(root, recordBytes)) {
            assertThat(records.size()).isEqualTo(expected.size());
            for (int index = 0; index < expected.size(); index++) {
                assertThat(records.name(index)).isEqualTo(expected.get(index));
                Tensor record = records.get(index).block();
                assertThat(record).isNotNull();
                assertThat(record.shape().dim(0)).isEqualTo(recordBytes);
                assertThat((byte) record.longAt(0)).isEqualTo(first.get(index));
            }
        }
    }
}

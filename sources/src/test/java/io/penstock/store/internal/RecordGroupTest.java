package io.penstock.store.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.pipeline.GroupLoader;
import io.penstock.store.FileStore;
import io.penstock.store.StoreEntry;
import io.penstock.store.StoreFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;

class RecordGroupTest {

    private static final int RECORD = 100;

    @TempDir
    Path folder;

    private Path path;
    private StoreFile file;

    @BeforeEach
    void write() throws IOException {
        byte[] bytes = new byte[100 * RECORD];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i / RECORD);
        }
        path = Files.write(folder.resolve("a"), bytes);
        FileStore store = FileStore.open(folder);
        file = new StoreFile(store, store.entry(path));
    }

    private static Map<Integer, Object> told(
            RecordGroup.Finder<ByteBuffer> finder, IntPredicate wanted, long... indices) {
        Map<Integer, Object> told = new ConcurrentHashMap<>();
        RecordGroup.read(indices, finder, index -> Mono.never(), new GroupLoader.Receiver<ByteBuffer>() {
                    @Override
                    public boolean wants(int place) {
                        return wanted.test(place);
                    }

                    @Override
                    public void value(int place, ByteBuffer value) {
                        assertThat(told.put(place, value)).isNull();
                    }

                    @Override
                    public void failure(int place, Throwable cause) {
                        assertThat(told.put(place, cause)).isNull();
                    }
                })
                .block();
        return told;
    }

    private RecordGroup.Finder<ByteBuffer> finder(Function<ByteBuffer, ByteBuffer> made) {
        return (place, index) -> new RecordGroup.Piece<>(place, 0, file, index * RECORD, RECORD, made);
    }

    private static byte first(Object value) {
        return ((ByteBuffer) value).get(0);
    }

    @Test
    void read_neighboursInAnyOrder_areEachTheirOwn() {
        Map<Integer, Object> told = told(finder(bytes -> bytes), place -> true, 5, 3, 4, 90, 5);

        assertThat(told).hasSize(5);
        assertThat(told.values())
                .allSatisfy(
                        value -> assertThat(((ByteBuffer) value).remaining()).isEqualTo(RECORD));
        assertThat(first(told.get(0))).isEqualTo((byte) 5);
        assertThat(first(told.get(1))).isEqualTo((byte) 3);
        assertThat(first(told.get(3))).isEqualTo((byte) 90);
        assertThat(first(told.get(4))).isEqualTo((byte) 5);
        assertThat(told.values())
                .allSatisfy(
                        value -> assertThat(((ByteBuffer) value).array().length).isLessThanOrEqualTo(16 * RECORD));
    }

    @Test
    void read_whatIsNotWanted_isLeftOut() {
        Map<Integer, Object> told = told(finder(bytes -> bytes), place -> place == 1, 0, 99);

        assertThat(told).containsOnlyKeys(1);
    }

    @Test
    void read_functionThatThrows_failsThatRecordAlone() {
        Map<Integer, Object> told = told(
                finder(bytes -> {
                    if (bytes.get(bytes.position()) == 4) {
                        throw new FormatException("four");
                    }
                    return bytes;
                }),
                place -> true,
                3,
                4,
                5);

        assertThat(told.get(1)).isInstanceOf(FormatException.class);
        assertThat(first(told.get(0))).isEqualTo((byte) 3);
        assertThat(first(told.get(2))).isEqualTo((byte) 5);
    }

    @Test
    void read_neighbourThatIsGone_failsAlone() throws IOException {
        Path other = Files.write(folder.resolve("b"), new byte[RECORD]);
        FileStore store = (FileStore) file.store();
        StoreFile gone = new StoreFile(store, store.entry(other));
        Files.delete(other);

        Map<Integer, Object> told = told(
                (place, index) -> new RecordGroup.Piece<>(
                        place, (int) index, index == 0 ? file : gone, 0, RECORD, bytes -> bytes),
                place -> true,
                0,
                1);

        assertThat(first(told.get(0))).isZero();
        assertThat(told.get(1)).isInstanceOf(StoreException.class);
    }

    @Test
    void read_fileThatChanged_failsEachOfItsRecords() {
        StoreEntry listed = file.entry();
        StoreFile changed =
                new StoreFile(file.store(), new StoreEntry(listed.key(), listed.size(), listed.version() + 1));

        Map<Integer, Object> told = told(
                (place, index) -> new RecordGroup.Piece<>(place, 0, changed, index * RECORD, RECORD, bytes -> bytes),
                place -> true,
                0,
                1);

        assertThat(told.values())
                .hasSize(2)
                .allSatisfy(failure -> assertThat(failure).isInstanceOf(StoreException.class));
    }
}

package io.penstock.cache.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cache.Entry;
import io.penstock.cache.Producer;
import io.penstock.cache.Provenance;
import io.penstock.cache.SampleKey;
import io.penstock.cache.chronicle.internal.CacheFiles;
import io.penstock.cache.chronicle.internal.LogEntry;
import io.penstock.fault.StoreException;
import io.penstock.tensor.Encoded;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CacheDirectoryTest {

    private static final Producer PRODUCER = new Producer(List.of("made"), List.of("map decode"), "bytes");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path directory;

    @Test
    void entries_afterReopening_sayWhereTheyCameFrom() {
        fill(5);

        List<KeptEntry> entries = entries();

        assertThat(entries).hasSize(5).allMatch(KeptEntry::live).allMatch(entry -> entry.bytes() == 1000);
        assertThat(entries)
                .extracting(KeptEntry::provenance)
                .containsExactlyInAnyOrder(provenance(0), provenance(1), provenance(2), provenance(3), provenance(4));
        assertThat(entries).extracting(KeptEntry::key).contains(SampleKey.of("2"));
        assertThat(CacheDirectory.at(directory).producers()).containsExactly(PRODUCER);
        assertThat(CacheDirectory.at(directory).format()).isEqualTo(CacheFiles.FORMAT);
    }

    @Test
    void verify_ofSoundFiles_findsNothing() {
        fill(5);
        List<Long> seen = new ArrayList<>();
        List<Damage> damage = new ArrayList<>();

        long entries = CacheDirectory.at(directory).verify(seen::add, damage::add);

        assertThat(entries).isEqualTo(5);
        assertThat(seen).containsExactly(1000L, 1000L, 1000L, 1000L, 1000L);
        assertThat(damage).isEmpty();
    }

    @Test
    void verify_ofAFlippedBitInAValue_saysWhichValue() throws IOException {
        fill(5);
        KeptEntry third = entries().stream()
                .filter(entry -> entry.key().equals(SampleKey.of("3")))
                .findFirst()
                .orElseThrow();
        flip(directory.resolve(third.segment()), third.position() + 500);
        List<Damage> damage = new ArrayList<>();

        long entries = CacheDirectory.at(directory).verify(bytes -> {}, damage::add);

        assertThat(entries).isEqualTo(5);
        assertThat(damage)
                .containsExactly(new Damage(
                        third.segment(),
                        third.position(),
                        "the 1000 bytes of a value are not those that were written"));
    }

    @Test
    void verify_ofAFlippedBitInAHeader_saysWhatCannotBeRead() throws IOException {
        fill(5);
        KeptEntry second = entries().get(1);
        KeptEntry third = entries().get(2);
        flip(directory.resolve(second.segment()), second.position() - 20);
        List<Damage> damage = new ArrayList<>();

        long entries = CacheDirectory.at(directory).verify(bytes -> {}, damage::add);

        assertThat(entries).isEqualTo(4);
        assertThat(damage).singleElement().satisfies(found -> {
            assertThat(found.segment()).isEqualTo(second.segment());
            assertThat(found.position()).isLessThan(second.position());
            assertThat(found.what()).isEqualTo("nothing is legible up to position " + third.position());
        });
    }

    @Test
    void clear_leavesWhatIsNotTheCaches() throws IOException {
        fill(5);
        Path foreign = Files.writeString(directory.resolve("notes.txt"), "mine");

        CacheDirectory.at(directory).clear();

        try (Stream<Path> rest = Files.list(directory)) {
            assertThat(rest).containsExactly(foreign);
        }
        assertThatThrownBy(() -> CacheDirectory.at(directory)).hasMessageContaining("no cache in");
    }

    @Test
    void clear_whileItIsOpen_isRefused() {
        fill(5);

        try (ChronicleTier open = open()) {
            assertThat(CacheDirectory.at(directory).processes())
                    .containsExactly(ProcessHandle.current().pid());
            assertThatThrownBy(() -> CacheDirectory.at(directory).clear())
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("is open in this process");
            assertThat(open.contains(SampleKey.of("4"))).isTrue();
        }
        assertThat(CacheDirectory.at(directory).processes()).isEmpty();
        assertThat(entries()).hasSize(5);
    }

    @Test
    void processes_whileOtherLocksComeAndGo_areAllThere() throws Exception {
        fill(1);
        AtomicBoolean done = new AtomicBoolean();
        CountDownLatch begun = new CountDownLatch(2);
        Runnable locking = () -> lockUntil(done, begun);
        Executor own = task -> new Thread(task).start(); // the common pool has one thread on two processors
        List<CompletableFuture<Void>> threads =
                List.of(CompletableFuture.runAsync(locking, own), CompletableFuture.runAsync(locking, own));
        begun.await();

        try (ChronicleTier open = open()) {
            for (int i = 0; i < 100 && open.contains(SampleKey.of("0")); i++) {
                assertThat(CacheDirectory.at(directory).processes())
                        .containsExactly(ProcessHandle.current().pid());
            }
        } finally {
            done.set(true);
        }
        threads.forEach(CompletableFuture::join);
    }

    /** Locks and releases 150 files of its own, of which several pages of the system's list tell. */
    private static void lockUntil(AtomicBoolean done, CountDownLatch begun) {
        List<FileChannel> files = new ArrayList<>();
        try {
            for (int i = 0; i < 150; i++) {
                Path file = Files.createTempFile("locked", "");
                files.add(FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE));
            }
            begun.countDown();
            while (!done.get()) {
                List<FileLock> locks = new ArrayList<>();
                for (FileChannel file : files) {
                    locks.add(file.lock());
                }
                for (FileLock lock : locks) {
                    lock.release();
                }
            }
            for (FileChannel file : files) {
                file.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void at_aDirectoryOfSomethingElse_isRefusedAndUntouched() throws IOException {
        Files.writeString(directory.resolve("format"), "mine\n");

        assertThatThrownBy(() -> CacheDirectory.at(directory))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("no cache in " + directory);
        assertThatThrownBy(() -> CacheDirectory.at(directory.resolve("nowhere")))
                .hasMessageContaining("there is no such directory");
        try (Stream<Path> all = Files.list(directory)) {
            assertThat(all).hasSize(1);
        }
    }

    @Test
    void mostBytes_ofADocumentAnywhere_isAsMuchAsItTakes() {
        for (long document = 0; document < 4 * LogEntry.ALIGNMENT; document += LogEntry.WORD) {
            for (int length = 0; length < 9; length++) {
                long takes = LogEntry.end(LogEntry.valueAt(document), length) - document;

                assertThat(takes).isLessThanOrEqualTo(LogEntry.mostBytes(length));
            }
        }
    }

    /** As the thread of a stream that is cancelled is. */
    @Test
    void fillings_toldOnAnInterruptedThread_areKept() {
        try (ChronicleTier tier = open()) {
            Thread.currentThread().interrupt();
            tier.producedBy(PRODUCER);
            assertThat(Thread.interrupted()).isTrue();
        }

        assertThat(CacheDirectory.at(directory).producers()).containsExactly(PRODUCER);
    }

    private void fill(int values) {
        try (ChronicleTier tier = open()) {
            tier.producedBy(PRODUCER);
            for (int i = 0; i < values; i++) {
                ByteBuffer value = ByteBuffer.allocate(1000).putInt(0, i);
                tier.put(
                                SampleKey.of(Integer.toString(i)),
                                Encoded.of(value),
                                Entry.of(0, 1).from(provenance(i)))
                        .block();
            }
        }
    }

    private ChronicleTier open() {
        return ChronicleTier.at(directory).maxBytes(16 << 20).open();
    }

    private List<KeptEntry> entries() {
        List<KeptEntry> entries = new ArrayList<>();
        try (ChronicleTier tier = ChronicleTier.at(directory).readOnly().open()) {
            tier.forEach(entries::add);
        }
        return entries;
    }

    private static Provenance provenance(int sample) {
        return Provenance.of("sample " + sample, List.of("size 1"), PRODUCER.id());
    }

    private static void flip(Path file, long position) throws IOException {
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            bytes.seek(position);
            int before = bytes.read();
            bytes.seek(position);
            bytes.write(before ^ 4);
        }
    }
}

package io.penstock.cache.chronicle.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cache.Provenance;
import io.penstock.cache.SampleKey;
import io.penstock.tensor.Encoded;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import net.openhft.chronicle.core.io.BackgroundResourceReleaser;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.RollCycles;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.wire.DocumentContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class ChronicleLogTest {

    private static final SampleKey KEY = SampleKey.of("log");
    private static final int BLOCK = 1 << 20;

    @TempDir
    Path directory;

    /** Documents are written by calls, so Chronicle itself says whether they are documents of a queue. */
    @Test
    void documents_ofSeveralFiles_areReadByChronicle() throws IOException {
        List<byte[]> values = new ArrayList<>();
        try (ChronicleLog log = new ChronicleLog(directory, BLOCK)) {
            for (int length : new int[] {0, 1, 63, 1 << 10, 16 << 10, (32 << 10) + 1, 700_001, 3}) {
                if (values.size() % 3 == 0) {
                    log.flush();
                    roll(log);
                }
                byte[] value = new byte[length];
                new SplittableRandom(length).nextBytes(value);
                log.append(LogEntry.VALUE, KEY, 7, Encoded.of(ByteBuffer.wrap(value)), Provenance.UNKNOWN);
                values.add(value);
            }
            log.flush();
        }

        List<byte[]> read = new ArrayList<>();
        try (ChronicleQueue queue = SingleChronicleQueueBuilder.binary(directory)
                        .rollCycle(RollCycles.FIVE_MINUTELY)
                        .build();
                ExcerptTailer tailer = queue.createTailer()) {
            for (int at = 0; at < values.size(); at++) {
                try (DocumentContext document = tailer.readingDocument()) {
                    assertThat(document.isPresent()).as("document %d", at).isTrue();
                    byte[] all = document.wire().bytes().toByteArray();
                    int length = values.get(at).length;
                    int end = all.length - (length + 3 & -4) + length;
                    read.add(Arrays.copyOfRange(all, end - length, end));
                }
            }
            assertThat(tailer.readingDocument().isPresent()).isFalse();
        }
        assertThat(read).usingElementComparator(Arrays::compare).containsExactlyElementsOf(values);
    }

    /** Chronicle compares and sets words through its mappings, which ends the process where a file was cut shorter. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void roll_toAnyFile_leavesNoneMapped() throws IOException {
        try (ChronicleLog log = new ChronicleLog(directory, BLOCK)) {
            for (int file = 0; file < 3; file++) {
                roll(log);

                BackgroundResourceReleaser.releasePendingResources();
                assertThat(Files.readAllLines(Path.of("/proc/self/maps")))
                        .noneMatch(line -> line.contains(directory.toString()));
            }
        }
    }

    /** A reader takes what follows a finished word for finished too. */
    @Test
    void flush_ofAGroup_showsReadersNoneOfItBeforeAllOfIt() throws IOException {
        try (ChronicleLog log = new ChronicleLog(directory, BLOCK)) {
            Path file = roll(log);
            Segment segment = new Segment(file, 1);
            segment.growing = true;
            segment.map();
            List<Long> found = new ArrayList<>();
            SegmentScanner scanner = new SegmentScanner((of, kind, valueAt) -> found.add(valueAt));
            List<Long> appended = new ArrayList<>();
            for (int group = 0; group < 3; group++) {
                for (int i = 0; i < 5; i++) {
                    Encoded value = Encoded.of(ByteBuffer.allocate(1 + group * 5 + i));
                    appended.add(log.append(LogEntry.VALUE, KEY, i, value, Provenance.UNKNOWN));
                }
                scanner.scan(segment);
                assertThat(found).hasSize(group * 5);

                log.flush();

                scanner.scan(segment);
                assertThat(found).isEqualTo(appended);
            }
        }
    }

    @Test
    void flush_toAFileThatWasCut_isRefusedAndLeavesItShort() throws IOException {
        try (ChronicleLog log = new ChronicleLog(directory, BLOCK)) {
            Path file = roll(log);
            Encoded value = Encoded.of(ByteBuffer.allocate(100));
            log.append(LogEntry.VALUE, KEY, 0, value, Provenance.UNKNOWN);
            log.flush();
            log.append(LogEntry.VALUE, KEY, 1, value, Provenance.UNKNOWN);
            cut(file);

            assertThatThrownBy(log::flush).hasMessageContaining("was cut shorter while it was open");

            assertThat(file).hasSize(4096);
        }
    }

    /** Zeros would stand between the cut and what was written behind it, and be read as values. */
    @Test
    void flush_whileTheFileIsCut_leavesItShort() throws Exception {
        Encoded value = Encoded.of(ByteBuffer.allocate(100 << 10));
        for (int round = 0; round < 50; round++) {
            try (ChronicleLog log = new ChronicleLog(directory.resolve("log-" + round), BLOCK)) {
                Path file = roll(log);
                CompletableFuture<Void> cut = CompletableFuture.runAsync(() -> cut(file));
                try {
                    for (int i = 0; i < 8; i++) {
                        log.append(LogEntry.VALUE, KEY, 0, value, Provenance.UNKNOWN);
                        log.flush();
                    }
                } catch (IOException e) {
                    assertThat(e).hasMessageContaining("was cut shorter while it was open");
                }
                cut.join();

                assertThat(Files.size(file)).isIn(0L, 4096L);
            }
        }
    }

    /** Of a file that was cut while Chronicle made it, the length says nothing. */
    @Test
    void flush_afterTheFirstFileWasCutWhileItWasMade_findsTheNextCut() throws Exception {
        try (ChronicleLog log = new ChronicleLog(directory, BLOCK)) {
            Path file = log.nextFile();
            CompletableFuture<Void> cut = CompletableFuture.runAsync(() -> {
                while (file.toFile().length() <= 4096) {
                    Thread.onSpinWait();
                }
                cut(file);
            });
            roll(log);
            cut.join();
            log.append(LogEntry.VALUE, KEY, 0, Encoded.of(ByteBuffer.allocate(100)), Provenance.UNKNOWN);
            cut(file);

            assertThatThrownBy(log::flush).hasMessageContaining("was cut shorter while it was open");
        }
    }

    /** The file that the log goes on in. */
    private static Path roll(ChronicleLog log) throws IOException {
        Path file = log.nextFile();
        Files.createDirectories(file.getParent());
        Files.createFile(file);
        log.roll();
        return file;
    }

    private static void cut(Path file) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(4096);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

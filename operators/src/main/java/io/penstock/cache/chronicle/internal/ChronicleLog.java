package io.penstock.cache.chronicle.internal;

import io.penstock.cache.Provenance;
import io.penstock.cache.SampleKey;
import io.penstock.internal.AccessFaults;
import io.penstock.tensor.Encoded;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Objects;
import java.util.zip.CRC32C;
import net.openhft.chronicle.core.shutdown.PriorityHook;
import net.openhft.chronicle.core.time.SetTimeProvider;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.RollCycles;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.wire.DocumentContext;
import org.jspecify.annotations.Nullable;

/**
 * A Chronicle Queue that one process appends to, from its creation to its closing, and never opens again: so Chronicle
 * sees no file that is damaged, half written or of another program, and what a killed process left needs no repair.
 *
 * <p>Its clock is ours, and one of its cycles is a segment: moving the clock on by a period rolls. Its own index is
 * kept as small as it can be, because positions are what values are found by. Not thread-safe.
 */
public final class ChronicleLog implements AutoCloseable {

    /** What Chronicle writes before the first document, and after the last. */
    static final int SEGMENT_OVERHEAD = 512;

    private static final RollCycles CYCLE = RollCycles.FIVE_MINUTELY;
    private static final DateTimeFormatter FILE = DateTimeFormatter.ofPattern("yyyyMMdd-HHmm'V.cq4'");
    private static final int LATE = 100;
    private static final int STAGED = 256 << 10;
    private static final int PIECE = 32 << 10;
    private static final int INDEX_COUNT = 8; // the least there is
    private static final int INDEX_SPACING = 1 << 20; // 8 * 8 of these are more entries than a segment can have

    private final Path directory;
    private final SetTimeProvider clock = new SetTimeProvider(0);
    private final ChronicleQueue queue;
    private final ExcerptAppender appender;

    /** A header's room, then what is staged of a value. */
    private final ByteBuffer staging = ByteBuffer.allocateDirect(LogEntry.ALIGNMENT + STAGED + 2 * LogEntry.WORD);

    private final ByteBuffer staged = staging.slice(LogEntry.ALIGNMENT, staging.capacity() - LogEntry.ALIGNMENT);
    private final ByteBuffer word = ByteBuffer.allocateDirect(LogEntry.WORD).order(ByteOrder.LITTLE_ENDIAN);
    private final AccessFaults faults = new AccessFaults();
    private long cycle = -1;
    private @Nullable FileChannel channel;
    private long atLeast;

    /** Where the word of the next document lies. */
    private long next;

    /** @param blockBytes what is mapped at once, a power of two; an entry takes at most a quarter of it */
    ChronicleLog(Path directory, long blockBytes) {
        ChronicleSettings.apply();
        this.directory = directory;
        this.queue = SingleChronicleQueueBuilder.binary(directory)
                .rollCycle(CYCLE)
                .timeProvider(clock)
                .indexCount(INDEX_COUNT)
                .indexSpacing(INDEX_SPACING)
                .blockSize(blockBytes)
                .checkInterrupts(false)
                .build();
        this.appender = queue.createAppender();
        appender.singleThreadedCheckDisabled(true);
    }

    /**
     * Has Chronicle do what it cannot do any more once the virtual machine is shutting down: register its shutdown
     * hook. So a log can still be begun for what waits when a signal comes. Blocks for loading classes.
     */
    public static void prepare() {
        ChronicleSettings.apply();
        PriorityHook.add(LATE, () -> {});
    }

    /** The file that {@link #roll} will write to. */
    Path nextFile() {
        long seconds = (cycle + 1) * CYCLE.lengthInMillis() / 1000;
        return directory.resolve(FILE.format(LocalDateTime.ofEpochSecond(seconds, 0, ZoneOffset.UTC)));
    }

    /** Goes on in the next file, after making sure that it can be written to. */
    void roll() throws IOException {
        Path file = nextFile();
        requireWhole();
        if (channel != null) {
            writeWord(SegmentScanner.END, next);
        }
        closeChannel();
        cycle++;
        clock.currentTimeMillis(cycle * CYCLE.lengthInMillis());
        try (DocumentContext probe = appender.writingDocument()) {
            probe.rollbackOnClose();
            next = Objects.requireNonNull(probe.wire()).bytes().writePosition() - LogEntry.WORD;
            long now = CYCLE.toCycle(probe.index());
            if (now != cycle) {
                throw new IOException("the log went to cycle %d, not %d".formatted(now, cycle));
            }
        }
        channel = FileChannel.open(file, StandardOpenOption.WRITE);
        atLeast = channel.size();
    }

    /**
     * A write behind a cut would lengthen the file again, so that zeros stand where others look for their values. The
     * file has its whole length from its first moment on.
     */
    private void requireWhole() throws IOException {
        FileChannel open = channel;
        if (open != null && open.size() < atLeast) {
            throw new IOException("its file in %s was cut shorter while it was open".formatted(directory));
        }
    }

    /**
     * Appends a whole entry; where its value lies in the file. Nothing goes through the mapping. Its first write to a page
     * is a fault, which costs more than a call. And Chronicle compares and sets the words of documents there: where that
     * is not compiled, a page that was cut off ends the process. So the word is written by a call too, last: a reader
     * that sees it sees all (the two ways meet in the page cache).
     */
    long append(int kind, SampleKey key, long sequence, Encoded value, Provenance provenance) throws IOException {
        requireWhole();
        long document = next;
        long valueAt = LogEntry.valueAt(document);
        long at = valueAt; // of what is staged
        int length = value.length();
        CRC32C sum = LogEntry.checkOf(key);
        staged.clear();
        for (int done = 0; done < length; ) {
            if (staged.remaining() < PIECE) {
                at += writeAll(staged.flip(), at);
                staged.clear();
            }
            int piece = Math.min(PIECE, length - done);
            int from = staged.position();
            value.copyTo(done, staged, from, piece); // piece by piece: each is still in the processor's cache below
            staged.position(from + piece);
            sum.update(staged.duplicate().flip().position(from));
            done += piece;
        }
        long end = LogEntry.end(valueAt, length);
        while (at + staged.position() < end + LogEntry.WORD) {
            staged.put((byte) 0); // the next word, too: its page is made here, and not read into by a fault
        }
        ByteBuffer header = LogEntry.header(kind, key, sequence, length, (int) sum.getValue(), provenance, valueAt);
        faults.raise(); // or what could not be read would be written with a checksum that is right
        if (at == valueAt) {
            staging.put(LogEntry.WORD, header, 0, LogEntry.HEADER);
            writeAll(
                    staging.limit(LogEntry.ALIGNMENT + staged.position()).position(LogEntry.WORD),
                    at - LogEntry.HEADER);
        } else {
            writeAll(staged.flip(), at);
            writeAll(header, valueAt - LogEntry.HEADER);
        }
        writeWord((int) (end - document) - LogEntry.WORD, document);
        next = end;
        requireWhole();
        return valueAt;
    }

    private void writeWord(int value, long position) throws IOException {
        writeAll(word.clear().putInt(0, value), position);
    }

    private int writeAll(ByteBuffer bytes, long position) throws IOException {
        FileChannel file = Objects.requireNonNull(channel);
        int length = bytes.remaining();
        for (long at = position; bytes.hasRemaining(); ) {
            int written = file.write(bytes, at);
            if (written == 0) {
                throw new IOException("the file system takes nothing at position %d".formatted(at));
            }
            at += written;
        }
        return length;
    }

    @Override
    public void close() throws IOException {
        try (queue) {
            closeChannel();
            appender.close();
        }
    }

    private void closeChannel() throws IOException {
        FileChannel open = channel;
        channel = null;
        if (open != null) {
            open.close();
        }
    }
}

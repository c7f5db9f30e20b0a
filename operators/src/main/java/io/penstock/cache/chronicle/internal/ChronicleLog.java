package io.penstock.cache.chronicle.internal;

import io.penstock.cache.Provenance;
import io.penstock.cache.SampleKey;
import io.penstock.internal.AccessFaults;
import io.penstock.tensor.Encoded;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
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
 * <p>One of its cycles is a segment. Chronicle makes the first one and is closed then. The others begin with the same
 * bytes, since nothing in them depends on the cycle. Chronicle itself would map them, and compare and set the last word
 * of one file when it goes to the next: a file that was cut shorter ends the process there.
 *
 * <p>Its own index is kept as small as it can be, because positions are what values are found by. Not thread-safe.
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
    private final ChronicleQueue queue;
    private final ExcerptAppender appender;

    /** What is appended and not yet written: the file from {@link #begin} to {@link #next}. */
    private final ByteBuffer staging = ByteBuffer.allocateDirect(STAGED).order(ByteOrder.LITTLE_ENDIAN);

    private final ByteBuffer word = ByteBuffer.allocateDirect(LogEntry.WORD).order(ByteOrder.LITTLE_ENDIAN);
    private final AccessFaults faults = new AccessFaults();
    private long cycle = -1;
    private @Nullable FileChannel channel;

    /** What Chronicle writes before the first document. */
    private byte[] beginning = {};

    /** What each file has at least, from its first moment on: one that has less was cut. */
    private final long length;

    /** Where the word of the next document lies. */
    private long next;

    /** Where the word of the first document lies that is not written; {@link #next} if all are. */
    private long begin;

    /** What that word is to be. */
    private int firstWord;

    /**
     * In a directory without files, or Chronicle would wait for what they begin with.
     * @param blockBytes of a file, without what Chronicle adds, a power of two; an entry takes at most a quarter of it
     */
    ChronicleLog(Path directory, long blockBytes) {
        ChronicleSettings.apply();
        this.directory = directory;
        this.length = blockBytes + blockBytes / 4; // as Chronicle makes its own
        this.queue = SingleChronicleQueueBuilder.binary(directory)
                .rollCycle(CYCLE)
                .timeProvider(new SetTimeProvider(0))
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

    /** Goes on in the next file, which is there and empty. */
    void roll() throws IOException {
        Path file = nextFile();
        if (channel != null && !isCut()) {
            writeWord(SegmentScanner.END, next);
            emptyIfCut();
        }
        closeChannel();
        cycle++;
        if (cycle == 0) {
            beginning = new byte[(int) makeFirst()];
        }
        RandomAccessFile begun = new RandomAccessFile(file.toFile(), "rw");
        channel = begun.getChannel();
        if (begun.length() < length) {
            begun.setLength(length);
        }
        if (cycle == 0) {
            begun.readFully(beginning);
        } else {
            writeAll(ByteBuffer.wrap(beginning), 0);
        }
        next = beginning.length;
        begin = next;
    }

    /** Has Chronicle make the first file; where the first document would lie. */
    private long makeFirst() throws IOException {
        try (queue;
                appender;
                DocumentContext probe = appender.writingDocument()) {
            probe.rollbackOnClose();
            if (CYCLE.toCycle(probe.index()) != 0) {
                throw new IOException("the log began at index %d, not in cycle 0".formatted(probe.index()));
            }
            return Objects.requireNonNull(probe.wire()).bytes().writePosition() - LogEntry.WORD;
        }
    }

    private void requireWhole() throws IOException {
        if (isCut()) {
            throw new IOException("its file in %s was cut shorter while it was open".formatted(directory));
        }
    }

    private void requireStillWhole() throws IOException {
        emptyIfCut();
        requireWhole();
    }

    /**
     * A write behind a cut has lengthened the file again: zeros stand where others look for their values. Without a byte
     * in it, each of these is a fault, which they notice.
     */
    private void emptyIfCut() throws IOException {
        if (isCut()) {
            Objects.requireNonNull(channel).truncate(0);
        }
    }

    private boolean isCut() throws IOException {
        return Objects.requireNonNull(channel).size() < length;
    }

    /**
     * Appends a whole entry, which is in the file after {@link #flush} at the latest; where its value lies there. Nothing
     * goes through the mapping. Its first write to a page is a fault, which costs more than a call. And Chronicle compares
     * and sets the words of documents there: where that is not compiled, a page that was cut off ends the process.
     */
    long append(int kind, SampleKey key, long sequence, Encoded value, Provenance provenance) throws IOException {
        long document = next;
        long valueAt = LogEntry.valueAt(document);
        long end = LogEntry.end(valueAt, value.length());
        if (!fits(value.length())) {
            flush();
        }
        boolean staged = end + LogEntry.WORD - document <= STAGED;
        int check = staged ? stage(key, value, (int) (valueAt - begin)) : writePieces(key, value, valueAt);
        ByteBuffer header = LogEntry.header(kind, key, sequence, value.length(), check, provenance, valueAt);
        faults.raise(); // or what could not be read would be written with a checksum that is right
        int entryWord = (int) (end - document) - LogEntry.WORD;
        if (staged) {
            int at = (int) (document - begin);
            firstWord = at == 0 ? entryWord : firstWord;
            staging.putInt(at, entryWord);
            clear(at + LogEntry.WORD, (int) (valueAt - begin) - LogEntry.HEADER);
            staging.put((int) (valueAt - begin) - LogEntry.HEADER, header, 0, LogEntry.HEADER);
            clear((int) (valueAt - begin) + value.length(), (int) (end - begin));
            next = end;
        } else {
            writeAll(header, valueAt - LogEntry.HEADER);
            writeWord(entryWord, document);
            requireStillWhole();
            next = end;
            begin = end;
        }
        return valueAt;
    }

    /** Whether a value can be appended before what is staged is written. */
    boolean fits(int bytes) {
        return LogEntry.end(LogEntry.valueAt(next), bytes) + LogEntry.WORD - begin <= STAGED;
    }

    /** Copies a value to a place in what is staged; its checksum. */
    private int stage(SampleKey key, Encoded value, int at) {
        CRC32C sum = LogEntry.checkOf(key);
        for (int done = 0; done < value.length(); done += PIECE) {
            int piece = Math.min(PIECE, value.length() - done);
            value.copyTo(
                    done, staging, at + done, piece); // piece by piece: each is still in the processor's cache below
            sum.update(staging.duplicate().limit(at + done + piece).position(at + done));
        }
        return (int) sum.getValue();
    }

    /** Writes a value that is too long to be staged; its checksum. */
    private int writePieces(SampleKey key, Encoded value, long valueAt) throws IOException {
        requireWhole();
        CRC32C sum = LogEntry.checkOf(key);
        for (int done = 0; done < value.length(); done += PIECE) {
            int piece = Math.min(PIECE, value.length() - done);
            value.copyTo(done, staging.clear(), 0, piece);
            sum.update(staging.duplicate().limit(piece));
            writeAll(staging.limit(piece), valueAt + done);
        }
        staging.clear();
        writeWord(0, LogEntry.end(valueAt, value.length())); // its page is made here, and not read into by a fault
        return (int) sum.getValue();
    }

    private void clear(int from, int to) {
        for (int at = from; at < to; at++) {
            staging.put(at, (byte) 0);
        }
    }

    /**
     * Writes what is staged, by one call. The word of the first of these entries follows, by another: a reader that sees
     * it sees all of them (calls and mappings meet in the page cache).
     */
    void flush() throws IOException {
        int length = (int) (next - begin);
        if (length == 0) {
            return;
        }
        try {
            requireWhole();
            staging.clear()
                    .putInt(length, 0); // the next word, too: its page is made here, and not read into by a fault
            writeAll(staging.limit(length + LogEntry.WORD).position(LogEntry.WORD), begin + LogEntry.WORD);
            writeWord(firstWord, begin);
            requireStillWhole();
        } finally {
            staging.clear();
            begin = next;
        }
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
        try (queue;
                appender) {
            closeChannel();
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

package io.penstock.cache.chronicle.internal;

import io.penstock.cache.Provenance;
import io.penstock.cache.SampleKey;
import io.penstock.internal.AccessFaults;
import io.penstock.tensor.Encoded;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Objects;
import java.util.zip.CRC32C;
import net.openhft.chronicle.bytes.Bytes;
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
    private static final int LEAST_BY_CALL = 16 << 10;
    private static final int LATE = 100;
    private static final int STAGED = 256 << 10;
    private static final int PIECE = 32 << 10;
    private static final int INDEX_COUNT = 8; // the least there is
    private static final int INDEX_SPACING = 1 << 20; // 8 * 8 of these are more entries than a segment can have

    private final Path directory;
    private final SetTimeProvider clock = new SetTimeProvider(0);
    private final ChronicleQueue queue;
    private final ExcerptAppender appender;
    private final ByteBuffer staging = ByteBuffer.allocateDirect(STAGED + 2 * LogEntry.WORD);
    private final AccessFaults faults = new AccessFaults();
    private long cycle = -1;
    private @Nullable FileChannel channel;
    private long atLeast;

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
        closeChannel();
        cycle++;
        clock.currentTimeMillis(cycle * CYCLE.lengthInMillis());
        try (DocumentContext probe = appender.writingDocument()) {
            probe.rollbackOnClose();
            long now = CYCLE.toCycle(probe.index());
            if (now != cycle) {
                throw new IOException("the log went to cycle %d, not %d".formatted(now, cycle));
            }
        }
        channel = FileChannel.open(file, StandardOpenOption.WRITE);
        atLeast = channel.size();
    }

    /**
     * Chronicle compares and sets words of the mapping. Where that is not compiled, the virtual machine's own code does,
     * and a page that is gone would end the process there. So this is asked shortly before.
     */
    private void requireWhole() throws IOException {
        FileChannel open = channel;
        if (open != null && open.size() < atLeast) {
            throw new IOException("its file in %s was cut shorter while it was open".formatted(directory));
        }
    }

    /**
     * Appends a whole entry; where its value lies in the file. Of a long one only Chronicle's word goes through the
     * mapping: the first write to a page of it is a fault, which costs several times what a call does that writes all
     * pages. (The two ways meet in the page cache.)
     */
    long append(int kind, SampleKey key, long sequence, Encoded value, Provenance provenance) throws IOException {
        requireWhole();
        try (DocumentContext document = appender.writingDocument()) {
            try {
                Bytes<?> bytes = document.wire().bytes();
                long valueAt = LogEntry.valueAt(bytes.writePosition() - LogEntry.WORD);
                int length = value.length();
                CRC32C sum = LogEntry.checkOf(key);
                if (length < LEAST_BY_CALL) {
                    value.copyTo(staging.clear(), 0);
                    sum.update(staging.limit(length));
                    bytes.write(valueAt, staging, 0, length);
                } else {
                    write(valueAt, value, sum);
                }
                int check = (int) sum.getValue();
                ByteBuffer header = LogEntry.header(kind, key, sequence, length, check, provenance, valueAt);
                bytes.write(valueAt - LogEntry.HEADER, header, 0, LogEntry.HEADER);
                faults.raise(); // or what could not be read would be written with a checksum that is right
                bytes.writePosition(LogEntry.end(valueAt, length));
                requireWhole();
                return valueAt;
            } catch (Throwable e) {
                document.rollbackOnClose(); // or closing would publish what there is of it
                throw e;
            }
        }
    }

    /**
     * Adds the value to its checksum piece by piece while it is copied to where a call takes it from: each is in the
     * processor's cache then. Left to itself the call would copy it as well, and the checksum read it from memory. With
     * zeros for the next word: its page, too, is then made here and not read into by a fault.
     */
    private void write(long valueAt, Encoded value, CRC32C sum) throws IOException {
        int length = value.length();
        long at = valueAt;
        staging.clear();
        for (int done = 0; done < length; ) {
            if (staging.remaining() < PIECE) {
                at += writeStaged(at);
            }
            int piece = Math.min(PIECE, length - done);
            int from = staging.position();
            value.copyTo(done, staging, from, piece);
            staging.position(from + piece);
            sum.update(staging.duplicate().flip().position(from));
            done += piece;
        }
        for (long end = LogEntry.end(valueAt, length) + LogEntry.WORD; at + staging.position() < end; ) {
            staging.put((byte) 0);
        }
        writeStaged(at);
    }

    private int writeStaged(long position) throws IOException {
        FileChannel file = Objects.requireNonNull(channel);
        staging.flip();
        int length = staging.limit();
        while (staging.hasRemaining()) {
            if (file.write(staging, position + staging.position()) == 0) {
                throw new IOException("the file system takes nothing at position %d".formatted(position));
            }
        }
        staging.clear();
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

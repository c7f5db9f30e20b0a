package io.penstock.cache.chronicle;

import io.penstock.pipeline.Origin;
import io.penstock.pipeline.SampleKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.core.time.SetTimeProvider;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.RollCycles;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.wire.DocumentContext;

/**
 * A Chronicle Queue that one process appends to, from its creation to its closing, and never opens again: so Chronicle
 * sees no file that is damaged, half written or someone else's, and what a killed process left needs no repair.
 *
 * <p>Its clock is ours, and one of its cycles is a segment: moving the clock on by a period rolls. Its own index is kept
 * as small as it can be, because positions are what values are found by. Not thread-safe.
 */
final class ChronicleLog implements AutoCloseable {

    /** What Chronicle writes before the first document, and after the last. */
    static final int SEGMENT_OVERHEAD = 512;

    private static final RollCycles CYCLE = RollCycles.FIVE_MINUTELY;
    private static final DateTimeFormatter FILE = DateTimeFormatter.ofPattern("yyyyMMdd-HHmm'V.cq4'");
    private static final int INDEX_COUNT = 8; // the least there is
    private static final int INDEX_SPACING = 1 << 20; // 8 * 8 of these are more entries than a segment can have
    private static final ByteBuffer PADDING = ByteBuffer.allocate(Entry.ALIGNMENT);

    private final Path directory;
    private final SetTimeProvider clock = new SetTimeProvider(0);
    private final ChronicleQueue queue;
    private final ExcerptAppender appender;
    private long cycle = -1;

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

    /** The file that {@link #roll} will write to. */
    Path nextFile() {
        long seconds = (cycle + 1) * CYCLE.lengthInMillis() / 1000;
        return directory.resolve(FILE.format(LocalDateTime.ofEpochSecond(seconds, 0, ZoneOffset.UTC)));
    }

    /** Goes on in the next file, after making sure that it can be written to. */
    void roll() throws IOException {
        cycle++;
        clock.currentTimeMillis(cycle * CYCLE.lengthInMillis());
        try (DocumentContext probe = appender.writingDocument()) {
            probe.rollbackOnClose();
            long now = CYCLE.toCycle(probe.index());
            if (now != cycle) {
                throw new IOException("the log went to cycle %d, not %d".formatted(now, cycle));
            }
        }
    }

    /** Appends a whole entry; where its value lies in the file. */
    long append(int kind, SampleKey key, long sequence, ByteBuffer value, Origin origin) {
        try (DocumentContext document = appender.writingDocument()) {
            try {
                Bytes<?> bytes = document.wire().bytes();
                long start = bytes.writePosition();
                long valueAt = Entry.valueAt(start - Entry.WORD);
                int length = value.remaining();
                ByteBuffer header = Entry.header(kind, key, sequence, value, origin, valueAt);
                long end = Entry.end(valueAt, length);
                bytes.write(start, PADDING, 0, (int) (valueAt - Entry.HEADER - start));
                bytes.write(valueAt - Entry.HEADER, header, 0, Entry.HEADER);
                bytes.write(valueAt, readable(value), 0, length);
                bytes.write(valueAt + length, PADDING, 0, (int) (end - valueAt - length));
                bytes.writePosition(end);
                return valueAt;
            } catch (Throwable e) {
                document.rollbackOnClose(); // or closing would publish what there is of it
                throw e;
            }
        }
    }

    /** From position 0, and as Chronicle can read it: a read-only array it cannot. */
    private static ByteBuffer readable(ByteBuffer value) {
        return value.hasArray() || value.isDirect()
                ? value.slice()
                : ByteBuffer.allocate(value.remaining()).put(0, value, value.position(), value.remaining());
    }

    @Override
    public void close() {
        try (queue) {
            appender.close();
        }
    }
}

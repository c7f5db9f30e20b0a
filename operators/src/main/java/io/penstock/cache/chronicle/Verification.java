package io.penstock.cache.chronicle;

import io.penstock.pipeline.SampleKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Goes through all files of a cache and compares every checksum. Neither a process that appends meanwhile nor one that died
 * while it appended is damage: what is unfinished, with nothing behind it, is passed over.
 */
final class Verification implements Walk.Finds {

    private static final int UNFINISHED = 1 << 31;

    private final LongConsumer progress;
    private final Consumer<Damage> damaged;
    private long entries;
    private int illegibleAt = -1;

    /** @param progress told the bytes of each entry before they are read */
    Verification(LongConsumer progress, Consumer<Damage> damaged) {
        this.progress = progress;
        this.damaged = damaged;
    }

    /** The number of entries that were found. */
    long of(CacheFiles files) throws IOException {
        for (Path log : files.logs()) {
            for (Path file : files.segments(log)) {
                Segment segment = new Segment(file, 1);
                try {
                    segment.map();
                } catch (NoSuchFileException e) {
                    continue; // dropped since it was listed
                }
                illegibleAt = -1;
                new Walk(this).on(segment);
                endsWith(segment);
            }
        }
        return entries;
    }

    @Override
    public void value(Segment segment, long valueAt, SampleKey key, long sequence, int length) {
        gap(segment, valueAt);
        entries++;
        progress.accept(length);
        ByteBuffer file = segment.bytes();
        if (!Entry.matches(key, file.slice((int) valueAt, length), file, valueAt)) {
            damaged.accept(new Damage(
                    segment.name(),
                    valueAt,
                    "the %d bytes of a value are not those that were written".formatted(length)));
        }
    }

    @Override
    public void tombstone(Segment segment, SampleKey key, long sequence) {
        gap(segment, segment.walked);
    }

    @Override
    public void damage(Segment segment) {
        illegibleAt = segment.walked;
    }

    private void gap(Segment segment, long next) {
        if (illegibleAt >= 0) {
            damaged.accept(
                    new Damage(segment.name(), illegibleAt, "nothing is legible up to position %d".formatted(next)));
            illegibleAt = -1;
        }
    }

    private void endsWith(Segment segment) {
        if (illegibleAt >= 0) {
            int word = Segment.wordAt(segment.bytes(), illegibleAt);
            boolean unfinished = (word & UNFINISHED) != 0;
            if (!unfinished) {
                damaged.accept(new Damage(segment.name(), illegibleAt, "nothing is legible from here on"));
            }
        }
    }
}

package io.penstock.cache.chronicle;

import io.penstock.cache.SampleKey;
import io.penstock.cache.chronicle.internal.CacheFiles;
import io.penstock.cache.chronicle.internal.LogEntry;
import io.penstock.cache.chronicle.internal.Segment;
import io.penstock.cache.chronicle.internal.SegmentScanner;
import io.penstock.internal.AccessFaults;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Compares every checksum in the files of a cache. An unfinished entry with nothing after it is no damage: a process
 * may be appending, or have died while it did.
 */
final class Verification implements SegmentScanner.Finds {

    private static final int UNFINISHED = 1 << 31;

    private final LongConsumer progress;
    private final Consumer<Damage> damaged;
    private final AccessFaults faults = new AccessFaults();
    private long entries;
    private int illegibleAt = -1;

    /** @param progress told the bytes of each entry before they are read */
    Verification(LongConsumer progress, Consumer<Damage> damaged) {
        this.progress = progress;
        this.damaged = damaged;
    }

    /** The number of entries that were found. */
    long of(CacheFiles files) throws IOException {
        for (CacheFiles.Strange strange : files.strange()) {
            String name = files.root.relativize(strange.path()).toString();
            damaged.accept(new Damage(name, 0, "it is %s; delete it".formatted(strange.what())));
        }
        smallFiles(files);
        for (Path log : files.logs()) {
            for (Path file : files.segments(log)) {
                Segment segment = new Segment(file, 1);
                try {
                    segment.map();
                } catch (NoSuchFileException e) {
                    continue; // dropped since it was listed
                } catch (IOException e) {
                    damaged.accept(new Damage(segment.name(), 0, "cannot be read: " + CacheFiles.reason(e)));
                    continue;
                }
                illegibleAt = -1;
                walk(segment);
            }
        }
        return entries;
    }

    private void walk(Segment segment) {
        try {
            new SegmentScanner(this).on(segment);
            faults.raise();
            endsWith(segment);
        } catch (InternalError e) {
            damaged.accept(
                    new Damage(segment.name(), segment.walked, "cannot be read from here on: " + e.getMessage()));
        }
    }

    private void smallFiles(CacheFiles files) throws IOException {
        if (files.hasIllegibleFormat()) {
            damaged.accept(new Damage(
                    "format",
                    0,
                    "the line is not legible; the cache does without, and writes it again when it is opened"));
        }
        int illegible = new ProvenanceLog(files.fillings()).illegible();
        if (illegible > 0) {
            damaged.accept(new Damage(
                    "fillings",
                    0,
                    "%d lines are not legible; they explain misses, and no value needs them".formatted(illegible)));
        }
    }

    @Override
    public void value(Segment segment, long valueAt, SampleKey key, long sequence, int length) {
        gap(segment, valueAt);
        entries++;
        progress.accept(length);
        ByteBuffer file = segment.bytes();
        if (!LogEntry.matches(key, file.slice((int) valueAt, length), file, valueAt)) {
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

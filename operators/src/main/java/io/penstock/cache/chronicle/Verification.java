package io.penstock.cache.chronicle;

import io.penstock.cache.chronicle.internal.CacheFiles;
import io.penstock.cache.chronicle.internal.LogEntry;
import io.penstock.cache.chronicle.internal.Segment;
import io.penstock.cache.chronicle.internal.SegmentScanner;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Compares every checksum in the files of a cache. An unfinished entry with nothing after it is no damage: a process
 * may be appending, or have died while it did.
 */
final class Verification implements SegmentScanner.Finds {

    private final LongConsumer progress;
    private final Consumer<Damage> damaged;
    private long entries;
    private long illegibleAt = -1;

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
                scan(segment);
            }
        }
        return entries;
    }

    private void scan(Segment segment) {
        InternalError cut = new SegmentScanner(this).scan(segment);
        if (cut != null) {
            damaged.accept(
                    new Damage(segment.name(), segment.walked, "cannot be read from here on: " + cut.getMessage()));
        } else if (illegibleAt >= 0
                && !SegmentScanner.isUnfinished(Segment.wordAt(segment.bytes(), (int) illegibleAt))) {
            damaged.accept(new Damage(segment.name(), illegibleAt, "nothing is legible from here on"));
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
    public void entry(Segment segment, int kind, long valueAt) {
        if (kind == LogEntry.DAMAGE) {
            illegibleAt = valueAt;
            return;
        }
        if (illegibleAt >= 0) {
            damaged.accept(
                    new Damage(segment.name(), illegibleAt, "nothing is legible up to position %d".formatted(valueAt)));
            illegibleAt = -1;
        }
        if (kind == LogEntry.VALUE) {
            int length = LogEntry.length(segment.bytes(), valueAt);
            entries++;
            progress.accept(length);
            if (!LogEntry.matches(segment.bytes(), valueAt)) {
                damaged.accept(new Damage(
                        segment.name(),
                        valueAt,
                        "the %d bytes of a value are not those that were written".formatted(length)));
            }
        }
    }
}

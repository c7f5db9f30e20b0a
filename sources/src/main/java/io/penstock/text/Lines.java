package io.penstock.text;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.internal.PartNumbers;
import io.penstock.pipeline.SampleId;
import io.penstock.store.StoreFile;
import io.penstock.store.internal.RecordGroup;
import io.penstock.store.internal.StoreFiles;
import io.penstock.store.unpack.Unpacker;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Function;

/** The lines of some files as bytes: what the data sets of lines share. */
final class Lines {

    private final StoreFiles listing;
    private final List<Part> parts;
    private final PartNumbers numbers;
    private final int groupSize;
    private final Fingerprint fingerprint;

    /** One file, decompressed if it was compressed, and its lines. */
    private record Part(String name, SampleKey key, List<String> state, StoreFile file, LineIndex index) {}

    private Lines(StoreFiles listing, List<Part> parts, Fingerprint fingerprint) {
        this.listing = listing;
        this.parts = parts;
        this.fingerprint = fingerprint;
        this.numbers =
                new PartNumbers(parts.size(), part -> parts.get(part).index().size());
        this.groupSize = size() == 0
                ? 1
                : RecordGroup.size(parts.stream().map(Part::file).toList(), size());
    }

    static Lines open(String kind, StoreFiles files, Unpacker unpacker, boolean skipBlank) {
        String location = files.store().location();
        List<Part> parts = files.map(entry -> {
            StoreFile file = unpacker.unpack(files.store(), entry);
            SampleKey key =
                    SampleKey.of(kind, files.place(entry), Long.toString(entry.size()), Long.toString(entry.version()));
            try (var input = file.input()) {
                LineIndex index = LineIndex.scan(input, skipBlank, files.place(entry));
                return new Part(entry.key(), key, files.state(entry), file, index);
            }
        });
        Lines lines = new Lines(files, parts, Fingerprint.of(kind, location, files.states()));
        if (lines.size() == 0) {
            throw new StoreException(
                    "no %s in %s: %s".formatted(kind, files, skipBlank ? "empty, or nothing but blanks" : "empty"));
        }
        return lines;
    }

    long size() {
        return numbers.size();
    }

    int files() {
        return parts.size();
    }

    String location() {
        return listing.store().location();
    }

    Fingerprint fingerprint() {
        return fingerprint;
    }

    /** The file and the line's number in it, from 1; its state is where the file lies, its size and modification time. */
    SampleId id(long index) {
        int number = numbers.part(index);
        Part part = parts.get(number);
        int line = (int) numbers.within(index, number);
        return SampleId.of(
                part.key().with(part.index().start(line)),
                () -> part.name() + ":line " + part.index().number(line),
                part::state);
    }

    /** Where a line begins in its file, decompressed. */
    long start(long index) {
        int number = numbers.part(index);
        return parts.get(number).index().start((int) numbers.within(index, number));
    }

    int groupSize() {
        return groupSize;
    }

    /**
     * A line with what ends it. Behind it may lie blank ones that were left out, so no more counts than may belong to it.
     * @param made of the bytes without what ends the line
     */
    <R> RecordGroup.Piece<R> piece(int place, long index, int max, Function<ByteBuffer, R> made) {
        int number = numbers.part(index);
        Part part = parts.get(number);
        int line = (int) numbers.within(index, number);
        long start = part.index().start(line);
        long next = line + 1 < part.index().size()
                ? part.index().start(line + 1)
                : part.file().size();
        int length = (int) Math.min(next - start, max + 2L);
        return new RecordGroup.Piece<>(
                place, number, part.file(), start, length, bytes -> made.apply(cut(bytes, index, max)));
    }

    private ByteBuffer cut(ByteBuffer bytes, long index, int max) {
        int end = 0;
        while (end < bytes.limit() && bytes.get(end) != '\n') {
            end++;
        }
        if (end < bytes.limit() && end > 0 && bytes.get(end - 1) == '\r') {
            end--;
        }
        if (end > max) {
            throw new FormatException("%s is too long: at most %d bytes, has more; raise maxLineBytes"
                    .formatted(id(index).name(), max));
        }
        return bytes.limit(end);
    }

    void close() {
        listing.close();
    }
}

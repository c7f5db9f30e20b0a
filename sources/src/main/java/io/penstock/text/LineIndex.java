package io.penstock.text;

import io.penstock.fault.FormatException;
import io.penstock.store.internal.StoreInput;
import io.penstock.store.internal.TextStart;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Where each line of a file begins: 8 bytes a line, in blocks that are never copied, and 12 more for each run of blank
 * lines that was left out.
 */
final class LineIndex {

    private static final int BLOCK_BITS = 13;
    private static final int BLOCK = 1 << BLOCK_BITS;
    private static final int WINDOW = 64 * 1024;

    private final List<long[]> starts = new ArrayList<>();
    private int size;
    private int[] skippedAt = new int[4]; // how many lines were kept before each run that was left out
    private long[] skippedLines = new long[4]; // all left out up to its end
    private int runs;

    private LineIndex() {}

    /** Scans a file once, from its first byte to its last, in windows of {@value #WINDOW} bytes. */
    static LineIndex scan(StoreInput input, boolean skipBlank, String name) {
        LineIndex index = new LineIndex();
        byte[] window = new byte[WINDOW];
        long start = 0; // of the line that is being read
        long offset = 0;
        boolean blank = true;
        long lineNumber = 0;
        for (int count = input.read(window, 0, WINDOW); count >= 0; count = input.read(window, 0, WINDOW)) {
            int from = 0;
            if (offset == 0) {
                from = TextStart.markBytes(window, count, name);
                start = from;
            }
            for (int i = from; i < count; i++) {
                byte b = window[i];
                if (b == '\n') {
                    index.keep(start, skipBlank && blank, lineNumber++, name);
                    start = offset + i + 1;
                    blank = true;
                } else if (b != ' ' && b != '\t' && b != '\r') {
                    blank = false;
                }
            }
            offset += count;
        }
        if (start < offset) {
            index.keep(start, skipBlank && blank, lineNumber, name);
        }
        return index;
    }

    private void keep(long start, boolean skipped, long lineNumber, String name) {
        if (skipped) {
            if (runs == 0 || skippedAt[runs - 1] != size) {
                if (runs == skippedAt.length) {
                    skippedAt = Arrays.copyOf(skippedAt, 2 * runs);
                    skippedLines = Arrays.copyOf(skippedLines, 2 * runs);
                }
                skippedAt[runs++] = size;
            }
            skippedLines[runs - 1] = lineNumber + 1 - size;
            return;
        }
        if (size == Integer.MAX_VALUE) {
            throw new FormatException("%s has more than %d lines; split it".formatted(name, size));
        }
        if (size >> BLOCK_BITS == starts.size()) {
            starts.add(new long[BLOCK]);
        }
        starts.get(size >> BLOCK_BITS)[size++ & BLOCK - 1] = start;
    }

    int size() {
        return size;
    }

    /** Where a line begins. */
    long start(int line) {
        return starts.get(line >> BLOCK_BITS)[line & BLOCK - 1];
    }

    /** The number of a line in its file, from 1. */
    long number(int line) {
        int run = Arrays.binarySearch(skippedAt, 0, runs, line);
        int before = run >= 0 ? run : -run - 2;
        return line + 1 + (before < 0 ? 0 : skippedLines[before]);
    }
}

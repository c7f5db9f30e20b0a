package io.penstock.text;

import io.penstock.fault.FormatException;
import io.penstock.store.internal.StoreInput;
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
                requireBytes(window, count, name);
                from = startsWithMark(window, count) ? 3 : 0;
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

    /** A byte order mark, whose three bytes are all in the first window of any file that has them. */
    private static boolean startsWithMark(byte[] bytes, int count) {
        return count >= 3 && (bytes[0] & 0xFF) == 0xEF && (bytes[1] & 0xFF) == 0xBB && (bytes[2] & 0xFF) == 0xBF;
    }

    /** In UTF-16 line feeds are two bytes, and the bytes of others look like them. */
    private static void requireBytes(byte[] bytes, int count, String name) {
        boolean little = count >= 2 && (bytes[0] & 0xFF) == 0xFF && (bytes[1] & 0xFF) == 0xFE;
        if (little || count >= 2 && (bytes[0] & 0xFF) == 0xFE && (bytes[1] & 0xFF) == 0xFF) {
            throw new FormatException(
                    "%s is UTF-16, not UTF-8: it starts with %02X %02X; convert it, as iconv -f UTF-16 -t UTF-8 does"
                            .formatted(name, bytes[0], bytes[1]));
        }
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

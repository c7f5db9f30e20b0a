package io.penstock.table.internal.delimited;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Goes through the records of some bytes and finds their cells. For one thread. */
final class CsvCells {

    private final RecordSyntax syntax;
    private final byte[] bytes;
    private int at;
    private long line;
    private long recordLine;
    private int count;
    private int[] starts = new int[16];
    private int[] ends = new int[16];
    private boolean[] broken = new boolean[16];

    /** @param line the number of the first line */
    CsvCells(RecordSyntax syntax, byte[] bytes, int from, long line) {
        this.syntax = syntax;
        this.bytes = bytes;
        this.at = from;
        this.line = line;
    }

    /** Finds the next record that is not empty; false at the end. */
    boolean next() {
        while (at < bytes.length) {
            recordLine = line;
            count = 0;
            record();
            if (count > 1 || starts[0] < ends[0]) {
                return true;
            }
        }
        return false;
    }

    private void record() {
        int state = RecordSyntax.START;
        int start = at;
        boolean isBroken = false;
        while (at < bytes.length && state != RecordSyntax.END) {
            byte b = bytes[at++];
            int before = state;
            state = syntax.next(before, b);
            if (b == '\n') {
                line++;
            }
            if (state == RecordSyntax.START) {
                add(start, at - 1, isBroken);
                start = at;
                isBroken = false;
            } else {
                isBroken |= before == RecordSyntax.CLOSED && state == RecordSyntax.PLAIN;
            }
        }
        int end = state == RecordSyntax.END ? at - 1 : at;
        add(start, end > start && bytes[end - 1] == '\r' ? end - 1 : end, isBroken);
    }

    private void add(int start, int end, boolean isBroken) {
        if (count == starts.length) {
            starts = Arrays.copyOf(starts, 2 * count);
            ends = Arrays.copyOf(ends, 2 * count);
            broken = Arrays.copyOf(broken, 2 * count);
        }
        starts[count] = start;
        ends[count] = end;
        broken[count++] = isBroken;
    }

    /** The number of the line that the record begins with. */
    long line() {
        return recordLine;
    }

    /** The cells of the record. */
    int count() {
        return count;
    }

    /** Refuses a record with a broken cell, whichever columns are chosen: its end cannot be told. */
    void requireWhole() {
        for (int number = 0; number < count; number++) {
            if (broken[number]) {
                throw new CellFault(
                        "text follows the closing quote of cell %d; two quotes stand for one".formatted(number + 1));
            }
        }
    }

    /** The bytes of a cell, without its quotes. */
    byte[] cell(int number) {
        int start = starts[number];
        int end = ends[number];
        if (start == end || bytes[start] != '"') {
            return Arrays.copyOfRange(bytes, start, end);
        }
        byte[] cell = new byte[end - start];
        int length = 0;
        for (int i = start + 1; i < end; i++) {
            if (bytes[i] == '"') {
                i++;
                if (i >= end || bytes[i] != '"') {
                    break; // it closes
                }
            }
            cell[length++] = bytes[i];
        }
        return Arrays.copyOf(cell, length);
    }

    /** All cells as text. */
    List<String> texts() {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            texts.add(new String(cell(i), StandardCharsets.UTF_8));
        }
        return texts;
    }
}

package io.penstock.table.internal.delimited;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The cells of a record. For one thread.
 *
 * <p>A library would find them in characters: FastCSV took 1.5 times as long to read a column of texts, and more code
 * around it for records that are refused alone and bytes that are not UTF-8.
 */
final class CsvCells {

    private final byte separator;
    private byte[] bytes = {};
    private int count;
    private int[] starts = new int[16];
    private int[] ends = new int[16];

    CsvCells(RecordSyntax syntax) {
        this.separator = syntax.separator();
    }

    /**
     * Finds the cells of a record.
     * @throws CellFault if a quote is not closed, or text follows one that is
     */
    void find(byte[] record, int from, int to) {
        bytes = record;
        count = 0;
        for (int at = from; at <= to; at++) {
            int start = at;
            if (at < to && bytes[at] == '"') {
                at = afterQuotes(at + 1, to);
            }
            boolean isQuoted = at > start;
            while (at < to && bytes[at] != separator) {
                if (isQuoted && bytes[at] != '\r') {
                    throw new CellFault(
                            "text follows the closing quote of cell %d; two quotes stand for one".formatted(count + 1));
                }
                at++;
            }
            add(start, at);
        }
    }

    private int afterQuotes(int from, int to) {
        for (int at = from; at < to; at++) {
            if (bytes[at] == '"' && (++at == to || bytes[at] != '"')) {
                return at;
            }
        }
        throw new CellFault(
                ("the quote that begins cell %d is not closed before text follows it on a later line: is it no "
                                + "quote? put the cell into quotes, with two for one")
                        .formatted(count + 1));
    }

    private void add(int start, int end) {
        if (count == starts.length) {
            starts = Arrays.copyOf(starts, 2 * count);
            ends = Arrays.copyOf(ends, 2 * count);
        }
        starts[count] = start;
        ends[count++] = end;
    }

    /**
     * Refuses a record that is not UTF-8, whichever of its cells are asked for.
     * @param names of the cells
     */
    void requireUtf8(List<String> names) {
        int at = starts[0];
        int to = ends[count - 1];
        while (at < to && bytes[at] >= 0) {
            at++;
        }
        if (at == to) {
            return;
        }
        ByteBuffer in = ByteBuffer.wrap(bytes, at, to - at);
        try {
            StandardCharsets.UTF_8.newDecoder().decode(in);
        } catch (CharacterCodingException e) {
            int cell = 0;
            while (ends[cell] <= in.position()) {
                cell++;
            }
            throw CellFault.of(
                    names.get(cell),
                    "it is not UTF-8: byte %02X at byte %d of the cell; convert the file, as iconv -t UTF-8 does"
                            .formatted(bytes[in.position()], in.position() - starts[cell]));
        }
    }

    int count() {
        return count;
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
            if (bytes[i] == '"' && (++i == end || bytes[i] != '"')) {
                break; // it closes
            }
            cell[length++] = bytes[i];
        }
        return Arrays.copyOf(cell, length);
    }

    /** All cells as text. */
    List<String> texts() {
        return IntStream.range(0, count)
                .mapToObj(number -> new String(cell(number), StandardCharsets.UTF_8))
                .toList();
    }
}

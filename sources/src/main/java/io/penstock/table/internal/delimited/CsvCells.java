package io.penstock.table.internal.delimited;

import de.siegmar.fastcsv.reader.AbstractBaseCsvCallbackHandler;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The cells of a record, which FastCSV finds. It gets a character for each byte, so that a cell is the file's own bytes.
 * For one thread.
 */
final class CsvCells extends AbstractBaseCsvCallbackHandler<List<byte[]>> {

    /** For a carriage return, whose byte it ends with: FastCSV would end the record there. */
    private static final char RETURN = '\r' + 0x100;

    private final CsvReader.CsvReaderBuilder reader;
    private List<byte[]> cells = List.of();

    CsvCells(RecordSyntax syntax) {
        this.reader =
                CsvReader.builder().fieldSeparator((char) syntax.separator()).allowUnclosedQuote(false);
    }

    /**
     * Finds the cells of a record.
     * @throws CellFault if a quote is not closed, or text follows one that is
     */
    List<byte[]> of(byte[] record, int from, int to) {
        cells = new ArrayList<>(cells.size());
        String text = new String(record, from, to - from, StandardCharsets.ISO_8859_1).replace('\r', RETURN);
        try {
            return reader.build(this, text).iterator().next();
        } catch (CsvParseException e) {
            String fault = String.valueOf(e.getMessage()).startsWith("Unclosed")
                    ? "the quote that begins cell %d is not closed before text follows it on a later line: is it no "
                            + "quote? put the cell into quotes, with two for one"
                    : "text follows the closing quote of cell %d; two quotes stand for one";
            throw new CellFault(fault.formatted(cells.size() + 1));
        }
    }

    @Override
    protected void handleField(int number, char[] text, int from, int length, boolean isQuoted) {
        byte[] cell = new byte[length];
        for (int i = 0; i < length; i++) {
            cell[i] = (byte) text[from + i];
        }
        cells.add(cell);
    }

    @Override
    protected List<byte[]> buildRecord() {
        return cells;
    }

    /** The text of a cell. */
    static String text(byte[] cell) {
        return new String(cell, StandardCharsets.UTF_8);
    }

    /**
     * Refuses cells that are not UTF-8.
     * @param names of the cells
     */
    static void requireUtf8(List<byte[]> cells, List<String> names) {
        for (int i = 0; i < cells.size(); i++) {
            byte[] cell = cells.get(i);
            if (text(cell).indexOf('\uFFFD') < 0) {
                continue; // a fault would be one, but so is a replacement character that the file has
            }
            ByteBuffer in = ByteBuffer.wrap(cell);
            try {
                StandardCharsets.UTF_8.newDecoder().decode(in);
            } catch (CharacterCodingException e) {
                throw CellFault.of(
                        names.get(i),
                        "it is not UTF-8: byte %02X at byte %d of the cell; convert the file, as iconv -t UTF-8 does"
                                .formatted(cell[in.position()], in.position()));
            }
        }
    }
}

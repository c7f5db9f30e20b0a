package io.penstock.table.internal.delimited;

/** Decodes the records of a group. */
@FunctionalInterface
interface RowReader {

    /**
     * Gives the rows to a sink, in their order.
     * @param bytes whole records
     * @param line  the number of the first line
     */
    void read(byte[] bytes, long line, RowSink sink);
}

package io.penstock.table.internal.delimited;

/** Reads the values of records, one after another. For one thread. */
@FunctionalInterface
interface RecordReader {

    /**
     * Gives the values of a record to a sink.
     * @param to where its content ends, before what ends its last line
     * @throws CellFault if something is wrong with it
     */
    void read(byte[] bytes, int from, int to, RowSink sink);
}

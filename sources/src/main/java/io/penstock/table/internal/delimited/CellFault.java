package io.penstock.table.internal.delimited;

/** What is wrong with one row: the others of its group can be loaded. */
final class CellFault extends RuntimeException {

    private static final long serialVersionUID = 1;

    CellFault(String message) {
        super(message, null, false, false);
    }

    static CellFault of(String column, String what) {
        return new CellFault("column %s: %s".formatted(column, what));
    }
}

package io.penstock.cli;

import java.io.PrintWriter;

/** Standard output, line by line; notices when nobody reads it any more, as behind {@code | head -1}. */
final class Output {

    private final PrintWriter out;

    Output(PrintWriter out) {
        this.out = out;
    }

    /**
     * Writes a line at once.
     * @throws ClosedPipe if the reader has gone
     */
    void line(String text) {
        out.print(text + "\n");
        if (out.checkError()) {
            throw new ClosedPipe();
        }
    }

    /** The reader of standard output has gone: the program ends without another word. */
    static final class ClosedPipe extends RuntimeException {
        private static final long serialVersionUID = 1;

        ClosedPipe() {
            super("standard output was closed");
        }
    }
}

package io.penstock.cli.console;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** Standard output, line by line; notices when it takes no more, as behind {@code | head -1} or on a full device. */
public record Output(PrintWriter out) {

    /** Standard output as text. Unlike {@code System.out}, it throws {@link Failed} where a write fails. */
    public static PrintWriter standard() {
        return new PrintWriter(new OutputStreamWriter(standardBytes(), StandardCharsets.UTF_8), true);
    }

    /** Standard output as bytes, which throws {@link Failed} where a write fails. */
    public static OutputStream standardBytes() {
        return new FilterOutputStream(new FileOutputStream(FileDescriptor.out)) {
            @Override
            public void write(byte[] bytes, int offset, int length) {
                try {
                    out.write(bytes, offset, length);
                } catch (IOException e) {
                    throw new Failed(Terminal.isPipe(1), e);
                }
            }
        };
    }

    /** Writes a line at once, with control characters escaped. */
    public void line(String text) {
        out.print(Terminal.escape(text) + "\n");
        if (out.checkError()) {
            throw new Failed(true, new IOException("the output is closed"));
        }
    }

    /** Writes an event for programs: one JSON object, whose first field is its name. */
    public void event(String name, Consumer<ObjectNode> fields) {
        ObjectNode node = JsonNodeFactory.instance.objectNode().put("event", name);
        fields.accept(node);
        line(node.toString());
    }

    public static final class Failed extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final boolean closedPipe;

        Failed(boolean closedPipe, IOException cause) {
            super(
                    "cannot write to standard output: %s; what was printed is incomplete".formatted(cause.getMessage()),
                    cause);
            this.closedPipe = closedPipe;
        }

        /** Whether the reader of a pipe has gone, so that the program ends without a message. */
        public boolean isClosedPipe() {
            return closedPipe;
        }
    }
}

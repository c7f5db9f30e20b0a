package io.penstock.write;

import io.penstock.output.UnfinishedOutput;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/** Appends to an output. Closing it does nothing: the output is finished, or not, by its owner. */
final class AppendingStream extends OutputStream {

    private final UnfinishedOutput output;

    AppendingStream(UnfinishedOutput output) {
        this.output = output;
    }

    @Override
    public void write(int b) throws IOException {
        output.append(ByteBuffer.wrap(new byte[] {(byte) b}));
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        output.append(ByteBuffer.wrap(bytes, offset, length));
    }
}

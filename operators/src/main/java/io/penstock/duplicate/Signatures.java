package io.penstock.duplicate;

import io.penstock.pipeline.Summary;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.function.Function;

/** The signatures of samples one after another, in the order of the samples. */
record Signatures<T>(Function<? super T, byte[]> of) implements Summary<T, ByteArrayOutputStream> {

    @Override
    public ByteArrayOutputStream empty() {
        return new ByteArrayOutputStream();
    }

    @Override
    public void add(ByteArrayOutputStream into, T sample) {
        into.writeBytes(of.apply(sample));
    }

    @Override
    public void merge(ByteArrayOutputStream into, ByteArrayOutputStream later) {
        into.writeBytes(later.toByteArray());
    }

    @Override
    public byte[] write(ByteArrayOutputStream signatures) {
        return signatures.toByteArray();
    }

    @Override
    public ByteArrayOutputStream read(ByteBuffer bytes) {
        ByteArrayOutputStream read = new ByteArrayOutputStream(bytes.remaining());
        read.write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
        return read;
    }
}

package io.penstock.cache.kryo;

import com.esotericsoftware.kryo.kryo5.Kryo;
import com.esotericsoftware.kryo.kryo5.Serializer;
import com.esotericsoftware.kryo.kryo5.io.Input;
import com.esotericsoftware.kryo.kryo5.io.Output;

/** What Kryo writes with its length first, read with that length checked before room is made for it. */
final class LengthFirst<T> extends Serializer<T> {

    private final Serializer<T> serializer;

    LengthFirst(Serializer<T> serializer) {
        super(serializer.getAcceptsNull(), serializer.isImmutable());
        this.serializer = serializer;
    }

    @Override
    public void write(Kryo kryo, Output output, T value) {
        serializer.write(kryo, output, value);
    }

    @Override
    public T read(Kryo kryo, Input input, Class<? extends T> type) {
        ((BoundedInput) input).expectLength();
        return serializer.read(kryo, input, type);
    }
}

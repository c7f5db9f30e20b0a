package io.penstock.cache.kryo;

import com.esotericsoftware.kryo.kryo5.Kryo;
import com.esotericsoftware.kryo.kryo5.Serializer;
import com.esotericsoftware.kryo.kryo5.io.Input;
import com.esotericsoftware.kryo.kryo5.io.Output;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;

/** Tensors inside other values: a length, then the bytes that a schema makes of them. */
final class TensorSerializer extends Serializer<Tensor> {

    private static final Schema<Tensor> SCHEMA = Schema.tensor("tensor");

    TensorSerializer() {
        super(false, true);
    }

    @Override
    public void write(Kryo kryo, Output output, Tensor tensor) {
        ByteBuffer bytes = SCHEMA.encode(tensor).joined();
        output.writeVarInt(bytes.remaining(), true);
        output.writeBytes(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
    }

    @Override
    public Tensor read(Kryo kryo, Input input, Class<? extends Tensor> type) {
        return SCHEMA.decode(ByteBuffer.wrap(input.readBytes(input.readVarInt(true))));
    }
}

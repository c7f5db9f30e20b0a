package io.penstock.cache.slot;

import io.penstock.tensor.Codec;
import io.penstock.tensor.DType;
import io.penstock.tensor.Tensor;
import io.penstock.testkit.CodecKit;
import java.util.List;

class SlotCodecKitTest extends CodecKit<Tensor> {

    @Override
    protected Codec<Tensor> open() {
        return new SlotCodec(SlotLayout.of(3, DType.U8, 2, 3));
    }

    @Override
    protected List<Tensor> values() {
        return List.of(
                Tensor.ofBytes(new byte[] {1, 2, 3, 4, 5, 6}, 2, 3),
                Tensor.ofBytes(new byte[] {6, 5, 4, 3, 2, 1}, 2, 3));
    }
}

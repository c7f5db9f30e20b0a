package io.penstock.shard;

import io.penstock.tensor.DType;
import io.penstock.tensor.Tensor;
import java.util.Objects;

/**
 * One file of an archive, not decoded.
 *
 * @param name  as the archive says it: possibly absolute or with {@code ..}, so not to be written to
 * @param bytes its content, {@code u8[n]}
 */
public record TarFile(String name, Tensor bytes) {

    public TarFile {
        Objects.requireNonNull(name, "name");
        if (bytes.dtype() != DType.U8 || bytes.shape().rank() != 1) {
            throw new IllegalArgumentException("the bytes of a file must be u8[n], were " + bytes.type());
        }
    }
}

package io.penstock.folder;

import io.penstock.tensor.DType;
import io.penstock.tensor.Tensor;
import java.util.Objects;

/**
 * One file of a class, as it lies on the disk.
 *
 * @param name  its path below the root, with {@code /} between the parts
 * @param bytes its content, {@code u8[n]}; not decoded, and empty where the file is
 * @param label the index of its class in {@link ImageFolder#labels()}
 */
public record LabelledFile(String name, Tensor bytes, int label) {

    public LabelledFile {
        Objects.requireNonNull(name, "name");
        if (bytes.dtype() != DType.U8 || bytes.shape().rank() != 1) {
            throw new IllegalArgumentException("the bytes of a file must be u8[n], were " + bytes.type());
        }
        if (label < 0) {
            throw new IllegalArgumentException("label must not be negative: " + label);
        }
    }
}

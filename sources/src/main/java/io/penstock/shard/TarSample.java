package io.penstock.shard;

import io.penstock.tensor.DType;
import io.penstock.tensor.Tensor;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The files of one key in a tar shard, not decoded.
 *
 * @param key   their common name, without extension: {@code train/000123}. Only ever a name: it may be absolute or have
 *              {@code ..} in it, as the archive says
 * @param parts the bytes of each file, {@code u8[n]}, by its extension ({@code jpg}, {@code seg.png}) in lower case, in
 *              the order of the archive
 */
public record TarSample(String key, Map<String, Tensor> parts) {

    public TarSample {
        Objects.requireNonNull(key, "key");
        parts = Collections.unmodifiableMap(new LinkedHashMap<>(parts));
        parts.forEach((extension, bytes) -> {
            if (bytes.dtype() != DType.U8 || bytes.shape().rank() != 1) {
                throw new IllegalArgumentException(
                        "the bytes of part \"%s\" must be u8[n], were %s".formatted(extension, bytes.type()));
            }
        });
    }

    /**
     * The bytes of one part.
     * @throws IllegalArgumentException if there is none of this extension
     */
    public Tensor part(String extension) {
        Tensor part = parts.get(extension);
        if (part == null) {
            throw new IllegalArgumentException(
                    "sample %s has no part \"%s\": it has %s".formatted(key, extension, parts.keySet()));
        }
        return part;
    }
}

package io.penstock.cli.flag;

import io.penstock.cache.slot.SharedSlots;
import io.penstock.cache.slot.SlotOptions;
import io.penstock.tensor.DType;
import java.nio.file.Path;

/** A file of shared memory and its size, as {@code --cache-slots} says it. */
public record SlotSpec(Path file, ByteSize size) {

    /** Reads a file, and a size behind its last comma. */
    public static SlotSpec parse(String text) {
        int comma = text.lastIndexOf(',');
        if (comma < 1) {
            throw new IllegalArgumentException(
                    "a file and a size such as /dev/shm/train,8GiB or /dev/shm/train,50%% were expected, was \"%s\""
                            .formatted(text));
        }
        return new SlotSpec(Path.of(text.substring(0, comma)), ByteSize.parse(text.substring(comma + 1)));
    }

    /** Opens the slots, or makes them if this is the first process. */
    public SharedSlots open(long samples, int sampleBytes) {
        SlotOptions options = SharedSlots.at(file);
        return (size.isShare() ? options.maxFreeShare(size.share()) : options.maxBytes(size.bytes()))
                .open(samples, DType.U8, sampleBytes);
    }
}

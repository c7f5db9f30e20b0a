package io.penstock.cli.flag;

import io.penstock.cache.slot.SharedSlots;
import io.penstock.cache.slot.SlotLayout;
import io.penstock.cli.console.Reason;
import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A file of shared memory and its size, as {@code --cache-slots} says it. */
public record SlotSpec(Path file, ByteSize size) {

    /** @throws IllegalArgumentException if there is no file, or no size behind the last comma */
    static SlotSpec parse(String text) {
        int comma = text.lastIndexOf(',');
        if (comma < 1) {
            throw new IllegalArgumentException(
                    "a file and a size such as /dev/shm/train,8GiB or /dev/shm/train,50%% were expected, was \"%s\""
                            .formatted(text));
        }
        return new SlotSpec(Path.of(text.substring(0, comma)), ByteSize.parse(text.substring(comma + 1)));
    }

    /**
     * Opens the slots, or makes them if this is the first process.
     * @param samples     in the data set
     * @param sampleBytes that one takes at most
     * @throws IllegalArgumentException if the file has slots for others, or too few bytes for one sample
     * @throws io.penstock.fault.DataException if it is something else, or there is no room for it
     */
    public SharedSlots open(long samples, int sampleBytes) {
        SlotLayout layout = SlotLayout.ofBytes(samples, sampleBytes);
        return size.isShare()
                ? SharedSlots.openWithinShare(file, layout, size.share())
                : SharedSlots.openWithin(file, layout, size.bytes());
    }

    /** For picocli. */
    public static final class Reader implements ITypeConverter<SlotSpec> {
        @Override
        public SlotSpec convert(String text) {
            try {
                return parse(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(Reason.of(e));
            }
        }
    }
}

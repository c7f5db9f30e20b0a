package io.penstock.cache.slot;

import io.penstock.internal.Arguments;
import io.penstock.tensor.DType;
import java.nio.file.Path;
import java.util.function.ToLongFunction;

/**
 * Where slots lie and what their file may take if it has to be made: room for all samples, unless something else is
 * said. A value: each method gives a changed copy, and {@link #open} does the work.
 */
public final class SlotOptions {

    private final Path file;
    private final ToLongFunction<SharedMemory> limit;

    SlotOptions(Path file, ToLongFunction<SharedMemory> limit) {
        this.file = file;
        this.limit = limit;
    }

    /** The max bytes of the file. */
    public SlotOptions maxBytes(long bytes) {
        return new SlotOptions(file, there -> bytes);
    }

    /**
     * At most this share of what is free there.
     * @throws IllegalArgumentException if the share is not in (0, 1]
     */
    public SlotOptions maxFreeShare(double share) {
        Arguments.refuse(!(share > 0 && share <= 1), "the share of free memory must be in (0, 1], was %s", share);
        return new SlotOptions(file, there -> (long) (share * there.spare()));
    }

    /**
     * Opens the file with slots for samples of one dtype and shape, or makes it. For bytes of any meaning the shape is
     * their number, as {@link DType#U8}.
     * @throws IllegalArgumentException if the file has another layout, or what it may take holds no sample
     * @throws io.penstock.fault.FormatException if it is something else
     * @throws io.penstock.fault.StoreException if it cannot be opened or there is no room for it
     */
    public SharedSlots open(long samples, DType dtype, long... dims) {
        return open(SlotLayout.of(samples, dtype, dims));
    }

    SharedSlots open(SlotLayout layout) {
        return new SharedSlots(SlotFile.open(file, layout, limit));
    }

    @Override
    public String toString() {
        return "slots in " + file;
    }
}

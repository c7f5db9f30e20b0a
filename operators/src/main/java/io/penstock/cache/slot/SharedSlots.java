package io.penstock.cache.slot;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.Tier;
import io.penstock.internal.Reclaim;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.Codec;
import io.penstock.tensor.Encoded;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Samples of one dtype and shape in memory that all processes of a machine share: one file, mapped by each of them,
 * with a slot for each index. On {@code /dev/shm} it is memory; in another directory it is the page cache over a disk.
 * <pre>{@code
 *  SlotOptions options = SharedSlots.at(Path.of("/dev/shm/train")).maxBytes(8L << 30);
 *  try (SharedSlots slots = options.open(dataset.size(), DType.U8, 224, 224, 3)) {
 *      slots.cache(dataset).stream(...)
 *  }
 * }</pre>
 *
 * <p>The first process that opens the file makes it and takes all of its space (about 0.5 s a GiB). Later ones find it
 * with its samples, also after all have closed it. After a restart of the machine it is made again. Deleting it gives
 * the memory back once all have closed it. Where the limit has no room for all samples, the first indices have slots.
 * The others read as empty, and what is put there is ignored.
 *
 * <p>What is read is a read-only view of the shared memory, without a copy. It stays valid and unchanged while it is
 * reachable, also after {@link #close} and {@link #clear}. A process that dies at any moment leaves nothing
 * half-written to be seen and blocks no other. Beside a sample 24 bytes are kept.
 *
 * <p>Threads: all methods from any number of them, in any number of processes (256 users at once). Sharing over a
 * network file system does not work. Processes in different PID name spaces cannot tell whether the other one died, and
 * leave its unfinished slot empty.
 */
public final class SharedSlots implements AutoCloseable {

    private final SlotFile file;
    private final SlotView indices;
    private final List<SlotTier> tiers = new CopyOnWriteArrayList<>();

    SharedSlots(SlotFile file) {
        this.file = file;
        this.indices = new SlotView(file, SlotKeys.INDICES);
    }

    /** What a slot of an index is. */
    public enum State {
        EMPTY,
        SET,
        /** The index has no slot, since the limit was too small for all. */
        OUT_OF_RANGE
    }

    /** Slots in this file, which is made or found when they are opened. */
    public static SlotOptions at(Path file) {
        return new SlotOptions(file, there -> Long.MAX_VALUE);
    }

    SlotLayout layout() {
        return file.header().layout();
    }

    /** How many indices have slots, from 0 on. */
    public long capacity() {
        return file.header().held();
    }

    /** How many slots are set by index. */
    public long size() {
        return indices.samples();
    }

    /**
     * The sample put for an index, as a read-only view; empty if there is none, or the index has no slot.
     * @throws IndexOutOfBoundsException if it is not one of the data set's
     */
    public Optional<Tensor> get(long index) {
        if (isOutOfRange(index)) {
            return Optional.empty();
        }
        ByteBuffer bytes = indices.get(index);
        return bytes == null ? Optional.empty() : Optional.of(Tensor.of(layout().dtype(), layout().shape(), bytes));
    }

    /**
     * Puts a sample, unless its index has one already or has no slot. Returns whether the index has a sample now; false
     * too while another thread or process is writing it.
     * @throws IllegalArgumentException if dtype or shape differ from the layout's: nothing is converted
     * @throws IndexOutOfBoundsException if the index is not one of the data set's
     */
    public boolean put(long index, Tensor sample) {
        Encoded bytes = codec().encode(sample);
        return !isOutOfRange(index) && indices.put(index, bytes) == SlotView.Outcome.HELD;
    }

    /**
     * Whether an index has a sample.
     * @throws IndexOutOfBoundsException if it is not one of the data set's
     */
    public State state(long index) {
        if (isOutOfRange(index)) {
            return State.OUT_OF_RANGE;
        }
        return indices.get(index) == null ? State.EMPTY : State.SET;
    }

    private boolean isOutOfRange(long index) {
        if (index < 0 || index >= layout().samples()) {
            throw new IndexOutOfBoundsException(
                    "index must be in [0, %d), was %d".formatted(layout().samples(), index));
        }
        return index >= capacity();
    }

    /**
     * Forgets all samples, for all processes and tiers. Views already handed out stay as they are; a slot takes a new
     * sample once no process has views from before, as far as its garbage collector has noticed.
     */
    public void clear() {
        file.nextGeneration();
    }

    /**
     * All slots as one read-only tensor, {@code [capacity, shape…]}, in the shared memory itself. A row means something
     * only where {@link #state} is {@code SET}, or a tier has put it; the others change under the reader.
     * @throws IllegalArgumentException if it is larger than 2 GiB, as no tensor is: take ranges
     */
    public Tensor tensor() {
        return tensor(0, capacity());
    }

    /**
     * The slots {@code [from, to)} as one read-only tensor, without a copy.
     * @throws IllegalArgumentException if they are more than 2 GiB
     * @throws IndexOutOfBoundsException unless {@code 0 <= from < to <= capacity()}
     * @throws IllegalStateException if the slots are closed
     */
    public Tensor tensor(long from, long to) {
        if (from < 0 || from >= to || to > capacity()) {
            throw new IndexOutOfBoundsException(
                    "slots must be in [0, %d), were [%d, %d)".formatted(capacity(), from, to));
        }
        long bytes = (to - from) * layout().sampleBytes();
        if (bytes > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "slots [%d, %d) are %d bytes, a tensor has at most %d; take %d slots at a time"
                            .formatted(from, to, bytes, Integer.MAX_VALUE, Integer.MAX_VALUE / layout().sampleBytes()));
        }
        return Tensor.of(layout().dtype(), layout().shape().prepend(to - from), indices.range(from, to));
    }

    /** How tensors of the layout become the bytes of a slot: as they are, so that {@link #tensor} shows them. */
    public Codec<Tensor> codec() {
        return new SlotCodec(layout());
    }

    /** A dataset whose samples are kept here as they are. Its keys take 22 bytes a slot, on the heap. */
    public Dataset<Tensor> cache(Dataset<Tensor> dataset) {
        return dataset.cache(tier(dataset, codec()), codec());
    }

    /**
     * These slots as a tier for one dataset, before or after others. What was put for a sample that has changed
     * since, or went through other stages, is a miss, and is overwritten once no view of it exists.
     * @param codec that the dataset is cached with; what it makes of a sample must fit a slot and may be shorter
     * @throws IllegalArgumentException if the dataset is of another size than the layout says
     */
    public <T> Tier tier(Dataset<T> dataset, Codec<T> codec) {
        if (dataset.size() != layout().samples()) {
            throw new IllegalArgumentException(
                    "slots for %d samples cannot serve a dataset of %d; open them with its size"
                            .formatted(layout().samples(), dataset.size()));
        }
        Fingerprint bytes = Fingerprint.of(codec);
        KeyTable keys = new KeyTable(capacity(), slot -> dataset.id(slot).key().with(bytes));
        SlotTier tier = new SlotTier(file, keys);
        tiers.add(tier);
        return tier;
    }

    /**
     * Closes these slots and their tiers, for this process. What is in them stays. A large file asks for a
     * collection a moment later, so that others may overwrite what only views held.
     */
    @Override
    public void close() {
        indices.close();
        tiers.forEach(SlotTier::close);
        file.close();
        Reclaim.soonIfWorth(file.header().fileLength());
    }

    @Override
    public String toString() {
        return "slots, " + file;
    }
}

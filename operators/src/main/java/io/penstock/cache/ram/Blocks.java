package io.penstock.cache.ram;

import io.penstock.internal.Notice;
import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Memory off the heap in blocks of one size: a value takes as many as it needs, wherever they lie. So any value fits
 * into the room of any others, and nothing ever has to be moved together.
 *
 * <p>Not thread-safe but for {@link #write} and {@link #read}, which touch only blocks that are the caller's.
 */
final class Blocks {

    static final int BYTES = 256;

    /** With the number of the block, in the list of those that are free or in that of a value. */
    static final int COST = BYTES + 2 * Integer.BYTES;

    private static final Logger LOG = LoggerFactory.getLogger(Blocks.class);
    private static final int PIECE_SHIFT = 14;
    private static final int PIECE_BLOCKS = 1 << PIECE_SHIFT;

    private final SlabMemory memory;
    private int max;
    private volatile @Nullable ByteBuffer[] pieces = new ByteBuffer[4];
    private int begun;
    private int[] free = new int[64];
    private int freed;

    /** At most this many bytes, what is kept beside the blocks included. */
    Blocks(long bytes, SlabMemory memory) {
        this.memory = memory;
        this.max = (int) Math.min(Integer.MAX_VALUE - PIECE_BLOCKS, bytes / COST);
    }

    static int count(int bytes) {
        return (int) (((long) bytes + BYTES - 1) / BYTES);
    }

    /** This many blocks, or {@code null} if there are fewer. */
    int @Nullable [] take(int count) {
        if (count > freed + (max - begun)) {
            return null;
        }
        int[] taken = new int[count];
        int reused = Math.min(count, freed);
        freed -= reused;
        System.arraycopy(free, freed, taken, 0, reused);
        for (int i = reused; i < count; i++) {
            try {
                taken[i] = begin();
            } catch (OutOfMemoryError e) { // the system gives no more: what there is goes round
                Notice.warn(
                        LOG,
                        "the system gives the RAM cache no more than {} bytes: {}",
                        (long) begun * BYTES,
                        e.toString());
                max = begun;
                giveBack(Arrays.copyOf(taken, i));
                return null;
            }
        }
        return taken;
    }

    private int begin() {
        int piece = begun >> PIECE_SHIFT;
        @Nullable ByteBuffer[] all = pieces;
        if (piece == all.length) {
            all = Arrays.copyOf(all, 2 * piece);
        }
        if (all[piece] == null) {
            int bytes = Math.min(PIECE_BLOCKS, max - begun) * BYTES;
            SlabMemory.Piece mapped = memory.map(bytes);
            all[piece] = (mapped == null ? SlabMemory.direct(bytes) : mapped).bytes();
            pieces = all;
        }
        return begun++;
    }

    void giveBack(int[] blocks) {
        if (freed + blocks.length > free.length) {
            free = Arrays.copyOf(free, (int) Math.min(max, Math.max(2L * free.length, freed + (long) blocks.length)));
        }
        System.arraycopy(blocks, 0, free, freed, blocks.length);
        freed += blocks.length;
    }

    void write(int[] blocks, Encoded value) {
        int from = 0;
        for (int i = 0, run; i < blocks.length; i += run) {
            run = run(blocks, i);
            int length = Math.min(run * BYTES, value.length() - from);
            value.copyTo(from, piece(blocks[i]), offset(blocks[i]), length);
            from += length;
        }
    }

    /** The first bytes of these blocks, as many as the array has. */
    void read(int[] blocks, byte[] value) {
        int to = 0;
        for (int i = 0, run; i < blocks.length; i += run) {
            run = run(blocks, i);
            int length = Math.min(run * BYTES, value.length - to);
            piece(blocks[i]).get(offset(blocks[i]), value, to, length);
            to += length;
        }
    }

    /** How many blocks from this one on lie side by side: nearly all, where values of one length take turns. */
    private static int run(int[] blocks, int from) {
        int to = from + 1;
        while (to < blocks.length && blocks[to] == blocks[to - 1] + 1 && (blocks[to] & PIECE_BLOCKS - 1) != 0) {
            to++;
        }
        return to - from;
    }

    private ByteBuffer piece(int block) {
        ByteBuffer piece = pieces[block >> PIECE_SHIFT];
        if (piece == null) {
            throw new IllegalStateException("block " + block + " was never handed out");
        }
        return piece;
    }

    private static int offset(int block) {
        return (block & PIECE_BLOCKS - 1) * BYTES;
    }

    void close() {
        memory.close();
    }
}

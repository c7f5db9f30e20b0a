package io.penstock.cache.slot;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Equal entries one after another in a file, mapped in as many pieces as their length takes. */
final class MappedEntries {

    private static final long PIECE = 1L << 30;

    private final int width;
    private final long perPiece;
    private final ByteBuffer[] pieces;
    private final ByteBuffer[] readOnly;

    private MappedEntries(int width, long perPiece, ByteBuffer[] pieces) {
        this.width = width;
        this.perPiece = perPiece;
        this.pieces = pieces;
        this.readOnly = Stream.of(pieces).map(ByteBuffer::asReadOnlyBuffer).toArray(ByteBuffer[]::new);
    }

    static MappedEntries map(FileChannel channel, long offset, long count, int width) throws IOException {
        long perPiece = Math.max(1, PIECE / width);
        ByteBuffer[] pieces = new ByteBuffer[(int) ((count + perPiece - 1) / perPiece)];
        for (int i = 0; i < pieces.length; i++) {
            long first = i * perPiece;
            long length = Math.min(perPiece, count - first) * width;
            MappedByteBuffer piece = channel.map(FileChannel.MapMode.READ_WRITE, offset + first * width, length);
            pieces[i] = piece.order(ByteOrder.LITTLE_ENDIAN);
        }
        return new MappedEntries(width, perPiece, pieces);
    }

    /** The mapped piece that has an entry. */
    ByteBuffer piece(long entry) {
        return pieces[(int) (entry / perPiece)];
    }

    /** Where in its piece an entry begins. */
    int at(long entry) {
        return (int) (entry % perPiece) * width;
    }

    /** The first bytes of an entry, read-only; valid while it is reachable. */
    ByteBuffer view(long entry, int length) {
        return readOnly[(int) (entry / perPiece)].slice(at(entry), length);
    }

    /** Neighbouring entries in one read-only view, or null where a border of the mapping lies between them. */
    @Nullable ByteBuffer view(long from, long to) {
        return from / perPiece == (to - 1) / perPiece ? view(from, (int) (to - from) * width) : null;
    }

    /** The buffers that are unreachable once no view of this memory exists. */
    List<ByteBuffer> roots() {
        return List.of(pieces);
    }
}

package io.penstock.table.internal;

import io.penstock.store.StoreFile;
import io.penstock.store.internal.InOrder;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A range of a file's bytes. */
public record FileRange(long start, int length) {

    /** Ranges that lie this close are read together. */
    private static final int GAP = 64 * 1024;

    private static final int TOGETHER = 8 << 20;
    private static final int AT_ONCE = 4;

    private long end() {
        return start + length;
    }

    /**
     * Reads all ranges: neighbours together, large ones in several pieces at once. The buffers have arrays, and the list
     * may be changed.
     */
    static Mono<List<ByteBuffer>> read(StoreFile file, List<FileRange> ranges) {
        List<ByteBuffer> bytes = new ArrayList<>(Collections.nCopies(ranges.size(), ByteBuffer.allocate(0)));
        return Flux.fromIterable(pieces(ranges))
                .transform(InOrder.map(
                        AT_ONCE,
                        piece -> file.read(piece.start, piece.length)
                                .doOnNext(came -> piece.spread(came, ranges, bytes))))
                .then(Mono.fromSupplier(() -> bytes));
    }

    private static List<FileRange> pieces(List<FileRange> ranges) {
        List<FileRange> sorted = ranges.stream()
                .filter(range -> range.length > 0)
                .sorted(Comparator.comparingLong(FileRange::start))
                .toList();
        List<FileRange> pieces = new ArrayList<>();
        long from = 0;
        long to = -1;
        for (FileRange range : sorted) {
            if (to < 0 || range.start > to + GAP || range.end() - from > TOGETHER) {
                cut(pieces, from, to);
                from = range.start;
                to = range.end();
            } else {
                to = Math.max(to, range.end());
            }
        }
        cut(pieces, from, to);
        return pieces;
    }

    private static void cut(List<FileRange> pieces, long from, long to) {
        for (long at = from; at < to; at += TOGETHER) {
            pieces.add(new FileRange(at, (int) Math.min(TOGETHER, to - at)));
        }
    }

    /** Puts each range's part of this piece in its place: as it is where the piece has all of the range. */
    private void spread(ByteBuffer came, List<FileRange> ranges, List<ByteBuffer> bytes) {
        for (int i = 0; i < bytes.size(); i++) {
            FileRange range = ranges.get(i);
            long from = Math.max(start, range.start);
            long to = Math.min(end(), range.end());
            if (from >= to) {
                continue;
            }
            int at = came.position() + (int) (from - start);
            if (to - from == range.length && came.hasArray()) {
                bytes.set(i, came.slice(at, range.length));
                continue;
            }
            if (!bytes.get(i).hasRemaining()) {
                bytes.set(i, ByteBuffer.allocate(range.length));
            }
            bytes.get(i).put((int) (from - range.start), came, at, (int) (to - from));
        }
    }
}

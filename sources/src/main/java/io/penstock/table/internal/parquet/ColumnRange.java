package io.penstock.table.internal.parquet;

import io.penstock.fault.FormatException;
import io.penstock.store.StoreFile;
import io.penstock.store.internal.InOrder;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.apache.parquet.format.ColumnMetaData;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Where the pages of a column lie in the file. */
record ColumnRange(ColumnMetaData metadata, long start, int length) {

    /** Columns that lie this close are read together. */
    private static final int GAP = 64 * 1024;

    private static final int TOGETHER = 8 << 20;
    private static final int AT_ONCE = 4;

    /** One read and the columns it is of; of a column that is larger, one of several reads. */
    private record Piece(long start, int length) {}

    static ColumnRange of(ColumnMetaData metadata, long size) {
        long start = metadata.getData_page_offset();
        long dictionary = metadata.getDictionary_page_offset();
        if (metadata.isSetDictionary_page_offset() && dictionary > 0 && dictionary < start) {
            start = dictionary;
        }
        long length = metadata.getTotal_compressed_size();
        if (start < 0 || length < 0 || length > Integer.MAX_VALUE - 8 || start > size - length) {
            throw new FormatException("it claims %d bytes at byte %d, the file has %d".formatted(length, start, size));
        }
        if (metadata.getNum_values() < 0) {
            throw new FormatException("it claims %d values".formatted(metadata.getNum_values()));
        }
        return new ColumnRange(metadata, start, (int) length);
    }

    private long end() {
        return start + length;
    }

    /**
     * Reads all ranges: neighbours together, large ones in several pieces at once. The buffers have arrays, and the list
     * may be changed.
     */
    static Mono<List<ByteBuffer>> read(StoreFile file, List<ColumnRange> ranges) {
        List<Piece> pieces = pieces(ranges);
        List<ByteBuffer> bytes = new ArrayList<>(Collections.nCopies(ranges.size(), ByteBuffer.allocate(0)));
        return Flux.fromIterable(pieces)
                .transform(InOrder.map(
                        AT_ONCE,
                        piece -> file.read(piece.start, piece.length)
                                .doOnNext(came -> spread(piece, came, ranges, bytes))))
                .then(Mono.fromSupplier(() -> bytes));
    }

    private static List<Piece> pieces(List<ColumnRange> ranges) {
        List<ColumnRange> sorted = ranges.stream()
                .filter(range -> range.length > 0)
                .sorted(Comparator.comparingLong(ColumnRange::start))
                .toList();
        List<Piece> pieces = new ArrayList<>();
        long from = 0;
        long to = -1;
        for (ColumnRange range : sorted) {
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

    private static void cut(List<Piece> pieces, long from, long to) {
        for (long at = from; at < to; at += TOGETHER) {
            pieces.add(new Piece(at, (int) Math.min(TOGETHER, to - at)));
        }
    }

    /** Puts each range's part of a piece in its place: as it is where the piece has all of the range. */
    private static void spread(Piece piece, ByteBuffer came, List<ColumnRange> ranges, List<ByteBuffer> bytes) {
        for (int i = 0; i < bytes.size(); i++) {
            ColumnRange range = ranges.get(i);
            long from = Math.max(piece.start, range.start);
            long to = Math.min(piece.start + piece.length, range.end());
            if (from >= to) {
                continue;
            }
            int at = came.position() + (int) (from - piece.start);
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

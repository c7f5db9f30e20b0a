package io.penstock.hdf5;

import com.fasterxml.jackson.databind.node.MissingNode;
import io.jhdf.object.message.FilterPipelineMessage.FilterInfo;
import io.penstock.fault.FormatException;
import io.penstock.zarr.internal.codec.CodecChain;
import io.penstock.zarr.internal.codec.Codecs;
import io.penstock.zarr.internal.codec.PlainBytes;
import io.penstock.zarr.internal.codec.Shuffle;
import io.penstock.zarr.internal.codec.ZarrCodec.BytesToBytes;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * The filters of an array's chunks. jhdf's own would not tell a damaged checksum, nor that HDF5 leaves a filter out for
 * a chunk that it makes larger.
 */
final class Hdf5Filters {

    private static final int DEFLATE = 1;
    private static final int SHUFFLE = 2;
    private static final int FLETCHER = 3;
    private static final int LZF = 32_000;

    private static final Map<Integer, String> UNNAMED = Map.of(4, "szip", 5, "nbit", 6, "scaleoffset");
    private static final int LITERALS = 32;
    private static final int LONG = 7;
    private static final VarHandle EIGHT = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final List<BytesToBytes> filters = new ArrayList<>();
    private final CodecChain all;

    /**
     * @param width bytes of an element
     * @throws FormatException naming a filter that is not known
     */
    Hdf5Filters(List<FilterInfo> infos, int width) {
        LongUnaryOperator most = decoded -> decoded + decoded / 8 + 64; // of a chunk that zlib cannot compress
        for (FilterInfo info : infos) {
            filters.add(
                    switch (info.getId()) {
                        case DEFLATE -> new BytesToBytes("gzip", false, most, Hdf5Filters::inflated);
                        case SHUFFLE -> Shuffle.of(info.getData().length == 0 ? width : info.getData()[0]);
                        case FLETCHER -> Codecs.bytes("fletcher32", MissingNode.getInstance());
                        case LZF -> new BytesToBytes("lzf", false, LongUnaryOperator.identity(), Hdf5Filters::lzf);
                        default ->
                            throw new FormatException(
                                    "filter %d (%s) is not supported: gzip, lzf, shuffle and fletcher32 are"
                                            .formatted(
                                                    info.getId(), UNNAMED.getOrDefault(info.getId(), info.getName())));
                    });
        }
        all = new CodecChain(List.of(), new PlainBytes(false), filters);
    }

    /**
     * What undoes the filters of a chunk.
     * @param mask a bit for each filter that was left out
     */
    CodecChain without(int mask) {
        return mask == 0
                ? all
                : new CodecChain(
                        List.of(),
                        new PlainBytes(false),
                        IntStream.range(0, filters.size())
                                .filter(i -> (mask >>> i & 1) == 0)
                                .mapToObj(filters::get)
                                .toList());
    }

    /** At once into an array of the size that the array's shape says. */
    private static byte[] inflated(byte[] from, int max) throws IOException {
        Inflater inflater = new Inflater();
        try {
            inflater.setInput(from);
            byte[] to = new byte[max];
            int end = inflater.inflate(to);
            if (end < max || inflater.inflate(new byte[1]) > 0) {
                throw new FormatException("%d bytes are expected, came %s".formatted(max, end < max ? end : "more"));
            }
            return to;
        } catch (DataFormatException e) {
            throw new IOException(e);
        } finally {
            inflater.end();
        }
    }

    /**
     * LibLZF's blocks: runs of literals, and copies of what came up to 8 KiB before. Most have a few bytes, so eight at a
     * time are copied, also beyond the end of a run.
     */
    private static byte[] lzf(byte[] from, int max) {
        byte[] to = new byte[max];
        int at = 0;
        int end = 0;
        while (at < from.length) {
            int control = from[at++] & 0xFF;
            if (control < LITERALS) {
                int count = control + 1;
                System.arraycopy(from, at, to, end, count);
                at += count;
                end += count;
                continue;
            }
            int length = control >> 5;
            if (length == LONG) {
                length += from[at++] & 0xFF;
            }
            int source = end - ((control & 0x1F) << 8 | from[at++] & 0xFF) - 1;
            int stop = end + length + 2;
            if (end - source >= Long.BYTES && stop <= max - Long.BYTES) {
                for (int i = 0; i < length + 2; i += Long.BYTES) {
                    EIGHT.set(to, end + i, (long) EIGHT.get(to, source + i));
                }
                end = stop;
            }
            while (end < stop) { // may read what it writes
                to[end++] = to[source++];
            }
        }
        if (end != max) {
            throw new FormatException("%d bytes are expected, came %d".formatted(max, end));
        }
        return to;
    }
}

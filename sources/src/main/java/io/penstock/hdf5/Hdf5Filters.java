package io.penstock.hdf5;

import com.fasterxml.jackson.databind.node.MissingNode;
import io.jhdf.filter.LzfFilter;
import io.jhdf.object.message.FilterPipelineMessage.FilterInfo;
import io.penstock.fault.FormatException;
import io.penstock.zarr.internal.codec.CodecChain;
import io.penstock.zarr.internal.codec.Codecs;
import io.penstock.zarr.internal.codec.PlainBytes;
import io.penstock.zarr.internal.codec.Shuffle;
import io.penstock.zarr.internal.codec.ZarrCodec.BytesToBytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;

/**
 * The filters of an array's chunks. jhdf's pipeline would not tell a damaged checksum, nor that HDF5 leaves a filter out
 * for a chunk that it makes larger.
 */
final class Hdf5Filters {

    private static final int DEFLATE = 1;
    private static final int SHUFFLE = 2;
    private static final int FLETCHER = 3;
    private static final int LZF = 32_000;

    private static final Map<Integer, String> UNNAMED = Map.of(4, "szip", 5, "nbit", 6, "scaleoffset");
    private static final LzfFilter LZF_BLOCKS = new LzfFilter();

    private final List<BytesToBytes> filters = new ArrayList<>();
    private final CodecChain all;

    /**
     * @param width bytes of an element
     * @throws FormatException naming a filter that is not known
     */
    Hdf5Filters(List<FilterInfo> infos, int width) {
        for (FilterInfo info : infos) {
            filters.add(
                    switch (info.getId()) {
                        case DEFLATE -> Codecs.bytes("zlib", MissingNode.getInstance());
                        case SHUFFLE -> Shuffle.of(info.getData().length == 0 ? width : info.getData()[0]);
                        case FLETCHER -> Codecs.bytes("fletcher32", MissingNode.getInstance());
                        case LZF ->
                            // reads no number but the third: the bytes that come
                            new BytesToBytes(
                                    "lzf",
                                    false,
                                    LongUnaryOperator.identity(),
                                    (from, max) -> LZF_BLOCKS.decode(from, new int[] {0, 0, max}));
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
}

package io.penstock.programs;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A small writer of MosaicML's format MDS, from its documentation alone: columns {@code class} of an integer and
 * {@code image} of a JPEG file, shards of a number of samples, and an index.
 */
final class MdsPictures {

    private static final String COLUMNS =
            "\"column_names\":[\"class\",\"image\"],\"column_encodings\":[\"int\",\"jpeg\"],\"column_sizes\":[8,null]";
    private static final String FORMAT = "\"version\":2,\"format\":\"mds\",\"compression\":null,\"hashes\":[],";

    private MdsPictures() {}

    /** The files of a data set by their names. The class of a picture is its number. */
    static Map<String, byte[]> of(List<byte[]> pictures, int shardSamples) {
        Map<String, byte[]> files = new LinkedHashMap<>();
        List<String> shards = new ArrayList<>();
        for (int from = 0; from < pictures.size(); from += shardSamples) {
            List<byte[]> part = pictures.subList(from, Math.min(pictures.size(), from + shardSamples));
            String name = "shard.%05d.mds".formatted(shards.size());
            byte[] shard = shard(part, from);
            files.put(name, shard);
            shards.add(
                    "{%s%s,\"samples\":%d,\"zip_data\":null,\"raw_data\":{\"basename\":\"%s\",\"bytes\":%d,\"hashes\":{}}}"
                            .formatted(FORMAT, COLUMNS, part.size(), name, shard.length));
        }
        files.put("index.json", utf8("{\"version\":2,\"shards\":%s}".formatted(shards)));
        return files;
    }

    private static byte[] shard(List<byte[]> pictures, int first) {
        byte[] head = utf8("{" + FORMAT + COLUMNS + "}");
        ByteArrayOutputStream samples = new ByteArrayOutputStream();
        int begin = Integer.BYTES * (pictures.size() + 2) + head.length;
        byte[] begun = new byte[begin];
        ByteBuffer shard = ByteBuffer.wrap(begun).order(ByteOrder.LITTLE_ENDIAN).putInt(pictures.size());
        for (int i = 0; i < pictures.size(); i++) {
            shard.putInt(begin + samples.size());
            byte[] picture = pictures.get(i);
            samples.writeBytes(little(Integer.BYTES + Long.BYTES)
                    .putInt(picture.length)
                    .putLong(first + i)
                    .array());
            samples.writeBytes(picture);
        }
        shard.putInt(begin + samples.size()).put(head);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(begun);
        all.writeBytes(samples.toByteArray());
        return all.toByteArray();
    }

    private static ByteBuffer little(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}

package io.penstock.programs;

import static io.penstock.programs.PlainTable.littleEndian;
import static io.penstock.programs.PlainTable.required;

import io.penstock.programs.PlainTable.Column;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.parquet.format.Type;

/**
 * Parquet files with pictures, as Hugging Face's sets keep them: a struct {@code image} of {@code bytes} and
 * {@code path}, and an integer {@code label}.
 */
final class PictureTable {

    private PictureTable() {}

    /** A file of pictures, whose labels are their numbers from {@code first} on. */
    static byte[] of(List<byte[]> pictures, int first, int groupRows) throws IOException {
        PlainTable table = new PlainTable(
                2,
                required("image").setNum_children(2),
                required("bytes").setType(Type.BYTE_ARRAY),
                required("path").setType(Type.BYTE_ARRAY),
                required("label").setType(Type.INT64));
        for (int from = 0; from < pictures.size(); from += groupRows) {
            group(table, pictures.subList(from, Math.min(pictures.size(), from + groupRows)), first + from);
        }
        return table.file();
    }

    private static void group(PlainTable table, List<byte[]> pictures, int first) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ByteArrayOutputStream paths = new ByteArrayOutputStream();
        ByteArrayOutputStream labels = new ByteArrayOutputStream();
        int rows = pictures.size();
        for (int number = first; number < first + rows; number++) {
            write(bytes, pictures.get(number - first));
            write(paths, "%05d.jpg".formatted(number).getBytes(StandardCharsets.US_ASCII));
            labels.write(littleEndian(Long.BYTES).putLong(number).array());
        }
        table.group(
                rows,
                new Column(Type.BYTE_ARRAY, List.of("image", "bytes"), bytes.toByteArray()),
                new Column(Type.BYTE_ARRAY, List.of("image", "path"), paths.toByteArray()),
                new Column(Type.INT64, List.of("label"), labels.toByteArray()));
    }

    private static void write(ByteArrayOutputStream values, byte[] value) throws IOException {
        values.write(littleEndian(Integer.BYTES).putInt(value.length).array());
        values.write(value);
    }
}

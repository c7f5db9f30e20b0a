package io.penstock.table;

import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Indexing;
import io.penstock.tensor.DType;
import io.penstock.tensor.Tensor;
import io.penstock.testkit.DatasetKit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.apache.arrow.vector.compression.CompressionUtil.CodecType;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** Tables of every format are data sets. Two files of rows, each with the number and its text. */
class TableKitsTest {

    private static final int ROWS = 7;
    private static final TableOptions TYPES =
            TableOptions.standard().columns("n", "text").type("n", DType.I64);

    /** Rows of two files, all of a file changing with one. */
    abstract static class Kit extends DatasetKit<Row> {

        @TempDir
        Path folder;

        private boolean isWritten;

        /** Writes some rows. */
        abstract void write(Path file, int from, int to) throws IOException;

        /** The files of a folder. */
        abstract Dataset<Row> open(Path files);

        private void write() throws IOException {
            Files.createDirectories(folder.resolve("data"));
            write(folder.resolve("data/a"), 0, 4);
            write(folder.resolve("data/b"), 4, ROWS);
        }

        @Override
        protected Dataset<Row> open() throws IOException {
            if (!isWritten) {
                write();
                isWritten = true;
            }
            return open(folder.resolve("data"));
        }

        @Override
        protected Row expected(long index) {
            return new Row(List.of("n", "text"), List.of(Tensor.scalar(index), Tensor.utf8("row " + index)));
        }

        @Override
        protected void change(long index) throws IOException {
            try (var files = Files.list(folder.resolve("data"))) {
                Path file = files.sorted().toList().get(index < 4 ? 0 : 1);
                Files.setLastModifiedTime(file, FileTime.from(Instant.parse("2020-01-01T00:00:00Z")));
            }
        }

        @Override
        protected boolean share(long one, long other) {
            return one < 4 == other < 4;
        }
    }

    @Nested
    class Csv extends Kit {
        @Override
        void write(Path file, int from, int to) throws IOException {
            StringBuilder text = new StringBuilder("text,n\n");
            for (int i = from; i < to; i++) {
                text.append("\"row ").append(i).append("\",").append(i).append('\n');
            }
            Files.writeString(file.resolveSibling(file.getFileName() + ".csv"), text);
        }

        @Override
        Dataset<Row> open(Path files) {
            return Table.open(files, TableFormat.csv().index(folder.resolve("index")), TYPES);
        }
    }

    @Nested
    class JsonLines extends Kit {
        @Override
        void write(Path file, int from, int to) throws IOException {
            StringBuilder text = new StringBuilder();
            for (int i = from; i < to; i++) {
                text.append("{\"text\":\"row ")
                        .append(i)
                        .append("\",\"n\":")
                        .append(i)
                        .append("}\n");
            }
            Files.writeString(file.resolveSibling(file.getFileName() + ".jsonl"), text);
        }

        @Override
        Dataset<Row> open(Path files) {
            return Table.open(files, TableFormat.jsonLines().index(folder.resolve("index")), TYPES);
        }
    }

    /** One file, as Arrow's own library writes it. */
    @Nested
    class Arrow extends Kit {
        @Override
        void write(Path file, int from, int to) throws IOException {
            if (from == 0) {
                byte[] bytes = MadeArrow.bytes(2, false, CodecType.ZSTD, false);
                Files.write(file.resolveSibling("a.arrow"), bytes);
            }
        }

        @Override
        Dataset<Row> open(Path files) {
            return Table.open(files, TableFormat.arrow(), TYPES);
        }

        @Override
        protected boolean share(long one, long other) {
            return true;
        }
    }

    /** Windows of two rows, of which the third has rows of the second file. */
    @Nested
    class Windows extends Csv {
        @Override
        Dataset<Row> open(Path files) {
            RowWindows windows = RowWindows.of(2).stride(2).order("n").step(1).features("n");
            return Objects.requireNonNull(
                    windows.over(super.open(files), Indexing.inMemory()).block());
        }

        @Override
        protected Row expected(long index) {
            return new Row(List.of("features"), List.of(Tensor.ofFloats(new float[] {2 * index, 2 * index + 1}, 2, 1)));
        }

        @Override
        protected void change(long index) throws IOException {
            super.change(2 * index);
        }

        @Override
        protected boolean share(long one, long other) {
            return super.share(2 * one, 2 * other);
        }
    }
}

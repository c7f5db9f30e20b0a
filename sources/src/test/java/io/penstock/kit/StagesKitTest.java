package io.penstock.kit;

import io.penstock.pipeline.Dataset;
import io.penstock.store.MemoryStore;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import io.penstock.testkit.DatasetKit;
import io.penstock.text.TextLines;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Nested;

/** The laws of a dataset over the lines of six files as bytes, and over each stage above them. */
class StagesKitTest {

    abstract static class LinesKit extends DatasetKit<Tensor> {

        private final Map<String, byte[]> files = new TreeMap<>();

        LinesKit() {
            for (int i = 0; i < 6; i++) {
                files.put(i + ".txt", ("line " + i).getBytes(StandardCharsets.UTF_8));
            }
        }

        Dataset<Tensor> lines() {
            return TextLines.open(MemoryStore.of("kit", files), "*.txt").bytes();
        }

        static Tensor line(long file) {
            return Tensor.utf8("line " + file);
        }

        void changeFile(long file) {
            files.put(file + ".txt", "changed".getBytes(StandardCharsets.UTF_8));
        }

        @Override
        protected Dataset<Tensor> open() {
            return lines();
        }

        @Override
        protected Tensor expected(long index) {
            return line(index);
        }

        @Override
        protected void change(long index) {
            changeFile(index);
        }
    }

    private static Tensor joined(Tensor one, Tensor other) {
        byte[] first = one.toByteArray();
        byte[] second = other.toByteArray();
        return Tensor.utf8(new String(first, StandardCharsets.UTF_8) + new String(second, StandardCharsets.UTF_8));
    }

    @Nested
    class Plain extends LinesKit {}

    @Nested
    class Mapped extends LinesKit {
        @Override
        protected Dataset<Tensor> open() {
            return lines().map("twice", line -> joined(line, line));
        }

        @Override
        protected Tensor expected(long index) {
            return joined(line(index), line(index));
        }
    }

    @Nested
    class Wrapped extends LinesKit {
        @Override
        protected Dataset<Tensor> open() {
            Dataset<Tensor> lines = lines();
            return Dataset.wrapping(lines, index -> lines.get(index).retry(1));
        }
    }

    @Nested
    class WrappedStage extends LinesKit {
        @Override
        protected Dataset<Tensor> open() {
            Dataset<Tensor> lines = lines().slice(1, 6).map("same", line -> line);
            return Dataset.wrapping(lines, index -> lines.get(index).hide());
        }

        @Override
        protected Tensor expected(long index) {
            return line(index + 1);
        }

        @Override
        protected void change(long index) {
            changeFile(index + 1);
        }
    }

    @Nested
    class Cached extends LinesKit {
        private final HeldTier tier = new HeldTier();

        @Override
        protected Dataset<Tensor> open() {
            return lines().cache(tier, Schema.tensor("line"));
        }
    }

    @Nested
    class Selected extends LinesKit {
        private static final List<Long> CHOSEN = List.of(4L, 2L, 0L, 5L);

        @Override
        protected Dataset<Tensor> open() {
            return lines().select(4, 2, 0, 5);
        }

        @Override
        protected Tensor expected(long index) {
            return line(CHOSEN.get((int) index));
        }

        @Override
        protected void change(long index) {
            changeFile(CHOSEN.get((int) index));
        }
    }

    @Nested
    class Sliced extends LinesKit {
        @Override
        protected Dataset<Tensor> open() {
            return lines().slice(1, 5);
        }

        @Override
        protected Tensor expected(long index) {
            return line(index + 1);
        }

        @Override
        protected void change(long index) {
            changeFile(index + 1);
        }
    }

    @Nested
    class Filtered extends LinesKit {
        @Override
        protected Dataset<Tensor> open() {
            return lines().selectIf("odd", index -> index % 2 == 1);
        }

        @Override
        protected Tensor expected(long index) {
            return line(2 * index + 1);
        }

        @Override
        protected void change(long index) {
            changeFile(2 * index + 1);
        }
    }

    @Nested
    class Expanded extends LinesKit {
        @Override
        protected Dataset<Tensor> open() {
            return lines().expand("part", 2, (line, part) -> joined(line, Tensor.utf8("/" + part)));
        }

        @Override
        protected Tensor expected(long index) {
            return joined(line(index / 2), Tensor.utf8("/" + index % 2));
        }

        @Override
        protected void change(long index) {
            changeFile(index / 2);
        }

        @Override
        protected boolean share(long one, long other) {
            return one / 2 == other / 2;
        }
    }

    @Nested
    class Concatenated extends LinesKit {
        @Override
        protected Dataset<Tensor> open() {
            return Dataset.concat(lines().slice(0, 2), lines().slice(2, 6));
        }
    }

    @Nested
    class Zipped extends LinesKit {
        @Override
        protected Dataset<Tensor> open() {
            List<Long> backwards = new ArrayList<>(List.of(5L, 4L, 3L, 2L, 1L, 0L));
            long[] indices = backwards.stream().mapToLong(Long::longValue).toArray();
            return lines().zip("pair", lines().select(indices), StagesKitTest::joined);
        }

        @Override
        protected Tensor expected(long index) {
            return joined(line(index), line(5 - index));
        }

        @Override
        protected boolean share(long one, long other) {
            return one == other || one == 5 - other;
        }
    }
}

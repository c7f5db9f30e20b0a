package io.penstock.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.batch.Batch;
import io.penstock.fault.StoreException;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.ipc.ArrowFileReader;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

class ArrowFileTest {

    @TempDir
    private Path folder;

    private final MadeBatches made = new MadeBatches();

    private Flux<Batch> batches(int count) {
        return Flux.range(0, count).map(number -> made.batch(number, 5));
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(Path::getFileName).map(Path::toString).sorted().toList();
        }
    }

    /** What Arrow's own reader finds must be the batches' bytes, of every dtype. */
    private static void assertHolds(ArrowReader reader, int count) throws IOException {
        VectorSchemaRoot root = reader.getVectorSchemaRoot();
        for (int number = 0; number < count; number++) {
            assertThat(reader.loadNextBatch()).isTrue();
            assertThat(root.getRowCount()).isEqualTo(5);
            Batch expected = new MadeBatches().batch(number, 5);
            for (String name : expected.names()) {
                FieldVector vector = root.getVector(name);
                FieldVector numbers = vector instanceof FixedSizeListVector list ? list.getDataVector() : vector;
                byte[] bytes = new byte[expected.tensor(name).byteSize()];
                numbers.getDataBuffer().getBytes(0, bytes);
                assertThat(bytes).as(name).isEqualTo(expected.tensor(name).toByteArray());
                assertThat(vector.getNullCount()).isZero();
                assertThat(vector.getField().getMetadata())
                        .containsEntry(
                                "penstock.dtype", expected.tensor(name).dtype().toString());
            }
        }
        assertThat(reader.loadNextBatch()).isFalse();
    }

    @Test
    void batches_ofEveryDtype_areWhatArrowReads() throws IOException {
        Path file = folder.resolve("all.arrow");

        StepVerifier.create(ArrowFile.at(file).write(batches(3))).expectNext(3L).verifyComplete();

        try (BufferAllocator allocator = new RootAllocator();
                FileChannel channel = FileChannel.open(file);
                ArrowFileReader reader = new ArrowFileReader(channel, allocator)) {
            assertThat(reader.getRecordBlocks()).hasSize(3);
            assertHolds(reader, 3);
        }
        assertThat(made.closed()).isEqualTo(3);
        assertThat(names()).containsExactly("all.arrow");
    }

    @Test
    void batches_asAStream_areWhatArrowReads() throws IOException {
        Path file = folder.resolve("all.arrows");

        StepVerifier.create(ArrowFile.at(file).asStream().write(batches(2)))
                .expectNext(2L)
                .verifyComplete();

        try (BufferAllocator allocator = new RootAllocator();
                ArrowStreamReader reader = new ArrowStreamReader(Files.newInputStream(file), allocator)) {
            assertHolds(reader, 2);
        }
    }

    @Test
    void pictures_withAMask_areFixedShapeTensorsAndAColumn() throws IOException {
        Path file = folder.resolve("pictures.arrow");
        Tensor pixels = MadeBatches.tensor(DType.U8, 1, Shape.of(4, 8, 6, 3));
        Tensor mask = Tensor.ofBytes(new byte[] {1, 1, 1, 0});
        Batch batch = made.batch(Map.of("pixels", pixels), 3, Tensor.of(DType.BOOL, Shape.of(4), mask.data()), 0);

        ArrowFile.at(file).write(Flux.just(batch)).block();

        try (BufferAllocator allocator = new RootAllocator();
                FileChannel channel = FileChannel.open(file);
                ArrowFileReader reader = new ArrowFileReader(channel, allocator)) {
            VectorSchemaRoot root = reader.getVectorSchemaRoot();
            reader.loadNextBatch();
            Map<String, String> metadata = root.getVector("pixels").getField().getMetadata();
            assertThat(metadata)
                    .containsEntry("ARROW:extension:name", "arrow.fixed_shape_tensor")
                    .containsEntry("ARROW:extension:metadata", "{\"shape\":[8,6,3]}");
            byte[] valid = new byte[4];
            root.getVector("penstock.mask").getDataBuffer().getBytes(0, valid);
            assertThat(valid).containsExactly(1, 1, 1, 0);
        }
    }

    @Test
    void upstream_thatFails_leavesTheFileThatWasThere() throws IOException {
        Path file = Files.writeString(folder.resolve("old.arrow"), "old");
        Flux<Batch> failing = batches(2).concatWith(Flux.error(new StoreException("gone")));

        StepVerifier.create(ArrowFile.at(file).write(failing)).verifyErrorMessage("gone");

        assertThat(file).hasContent("old");
        assertThat(names()).containsExactly("old.arrow");
        assertThat(made.closed()).isEqualTo(2);
    }

    @Test
    void writing_thatIsCancelled_leavesNothing() throws IOException {
        Flux<Batch> endless = batches(2).concatWith(Flux.never());

        Disposable writing =
                ArrowFile.at(folder.resolve("none.arrow")).write(endless).subscribe();
        List<String> before = names();
        writing.dispose();

        assertThat(before).singleElement().asString().startsWith(".none.arrow.");
        assertThat(names()).isEmpty();
        assertThat(made.closed()).isEqualTo(2);
    }

    @Test
    void batch_ofOtherShapes_isRefusedSayingWhich() throws IOException {
        Flux<Batch> differing = Flux.just(2, 3)
                .map(width ->
                        made.batch(Map.of("x", MadeBatches.tensor(DType.F32, 0, Shape.of(4, width))), 4, null, width));

        StepVerifier.create(ArrowFile.at(folder.resolve("x.arrow")).write(differing))
                .verifyErrorSatisfies(e -> assertThat(e)
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("cannot write batch 1 to")
                        .hasMessageContaining("row=[2]")
                        .hasMessageContaining("row=[3]"));

        assertThat(names()).isEmpty();
        assertThat(made.closed()).isEqualTo(2);
    }

    @Test
    void run_withoutABatch_hasNoSchemaAndIsRefused() {
        StepVerifier.create(ArrowFile.at(folder.resolve("x.arrow")).write(Flux.empty()))
                .verifyErrorSatisfies(e -> assertThat(e).hasMessageContaining("there was no batch"));
    }

    @Test
    void folder_thatIsNotThere_isAStoreException() {
        assertThatThrownBy(() -> ArrowFile.at(folder.resolve("no/x.arrow"))
                        .write(batches(1))
                        .block())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("cannot write");
    }
}

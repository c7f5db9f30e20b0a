package io.penstock.serve;

import static io.penstock.serve.Eventually.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.fault.StoreException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedMemoryTest {

    private static final int SAMPLES = 60;
    private static final int BYTES = 5000;

    @TempDir
    private Path temporary;

    private final CountedFeed feed = new CountedFeed(SAMPLES, BYTES, 1);

    private BatchServer start() {
        return ServerPlan.of(feed).shared(temporary.resolve("shared")).start();
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(temporary.resolve("shared"))) {
            return files.map(Path::toString).toList();
        }
    }

    /** The indices of the samples where a message says that they are, once their bytes are found right. */
    static List<Integer> read(JsonNode message) throws IOException {
        JsonNode field = message.path("fields").path(0);
        int rows = field.path("shape").path(0).asInt();
        List<Integer> indices = new ArrayList<>();
        try (FileChannel file = FileChannel.open(Path.of(message.path("file").asText()))) {
            for (int row = 0; row < rows; row++) {
                ByteBuffer sample = ByteBuffer.allocate(BYTES);
                file.read(sample, field.path("at").asLong() + (long) row * BYTES);
                int index = sample.getInt(0);
                assertThat(sample.array())
                        .isEqualTo(CountedFeed.sample(index, BYTES).toByteArray());
                indices.add(index);
            }
        }
        return indices;
    }

    @Test
    void batches_ofTheWhole_areInTheFileWhereTheMessagesSay() throws Exception {
        List<Integer> seen = new ArrayList<>();
        try (BatchServer server = start();
                Talk talk = new Talk(server.address())) {
            JsonNode message = talk.ask("/shared").json();
            for (int done = 1; !message.has("end"); done++) {
                seen.addAll(read(message));
                message = talk.ask("/shared?done=" + done).json();
            }
            server.served().block();
        }

        assertThat(seen).isEqualTo(BatchServerTest.order(SAMPLES));
        assertThat(temporary.resolve("shared")).doesNotExist();
        await(() -> feed.out() == 0);
    }

    /** As the Python client asks: each request is on its way while the last answer is still being finished. */
    @Test
    void requests_thatAreOneAhead_areAllAnswered() throws Exception {
        CountedFeed many = new CountedFeed(12_000, 8, 1);
        int batches = 0;
        try (BatchServer server =
                        ServerPlan.of(many).shared(temporary.resolve("many")).start();
                Talk talk = new Talk(server.address())) {
            talk.get("/shared");
            while (!talk.answer().json().has("end")) {
                talk.get("/shared?done=" + batches);
                batches++;
            }
        }

        assertThat(batches).isEqualTo(3000);
    }

    @Test
    void batches_thatAreNotGivenBack_stayAsTheyAre() throws Exception {
        try (BatchServer server = start();
                Talk talk = new Talk(server.address())) {
            List<JsonNode> held = new ArrayList<>();
            for (int i = 0; i < Hub.DEPTH; i++) {
                held.add(talk.ask("/shared").json());
            }

            Talk.Answer tooMany = talk.ask("/shared");

            assertThat(tooMany.status()).isEqualTo(409);
            List<Integer> seen = new ArrayList<>();
            for (JsonNode each : held) {
                seen.addAll(read(each));
            }
            assertThat(seen).isEqualTo(BatchServerTest.order(SAMPLES).subList(0, 4 * Hub.DEPTH));
        }
    }

    @Test
    void consumer_thatIsGone_givesBackWhatItHad() throws Exception {
        try (BatchServer server = start()) {
            String token;
            try (Talk talk = new Talk(server.address())) {
                talk.ask("/shared");
                token = talk.ask("/shared").json().path("resume").asText();
                assertThat(files()).hasSize(1);
            }
            await(() -> feed.out() == 0 && feed.ended() == 1);
            try (Talk talk = new Talk(server.address())) {
                JsonNode next = talk.ask("/shared?resume=" + token).json();

                assertThat(read(next)).isEqualTo(BatchServerTest.order(SAMPLES).subList(8, 12));
                assertThat(files()).hasSize(1);
            }
        }
    }

    @Test
    void giveBack_ofWhatWasNotGiven_isRefused() throws Exception {
        try (BatchServer server = start();
                Talk talk = new Talk(server.address())) {
            assertThat(talk.ask("/shared?done=1").status()).isEqualTo(400);
        }
    }

    @Test
    void server_withoutSharedMemory_saysSo() throws Exception {
        try (BatchServer server = ServerPlan.of(feed).start();
                Talk talk = new Talk(server.address())) {
            Talk.Answer answer = talk.ask("/shared");

            assertThat(answer.status()).isEqualTo(404);
            assertThat(answer.json().path("error").asText()).contains("without shared memory");
        }
    }

    @Test
    void folder_thatOthersMayEnter_isRefused() throws Exception {
        Path open = Files.createDirectory(temporary.resolve("open"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));

        assertThatThrownBy(() -> ServerPlan.of(feed).shared(open).start())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("rwxrwxrwx");
    }

    @Test
    void leftovers_ofAServerThatWasKilled_areRemoved() throws Exception {
        Process gone = new ProcessBuilder("true").start();
        gone.waitFor();
        start().close();
        Path folder =
                SharedFolder.open(temporary.resolve("shared")).begin().path().getParent();
        Path left = Files.createFile(folder.resolve("penstock-" + gone.pid() + "-0.ring"));
        Path board = Files.createFile(folder.resolve("penstock-" + gone.pid() + "-1.board"));
        Path other = Files.createFile(folder.resolve("mine.ring"));

        start().close();

        assertThat(left).doesNotExist();
        assertThat(board).doesNotExist();
        assertThat(other).exists();
    }

    @Test
    void regions_ofOneFile_areToldApart() {
        try (SharedFile file = SharedFile.create(temporary.resolve("regions"))) {
            List<ByteBuffer> regions =
                    Stream.of(1, 4096, 10_000, 64).map(file::apply).toList();

            List<Long> places = regions.stream()
                    .map(region -> file.offsetOf(io.penstock.tensor.Tensor.of(
                            io.penstock.tensor.DType.U8, io.penstock.tensor.Shape.of(region.capacity()), region)))
                    .toList();

            assertThat(places).doesNotHaveDuplicates().isSorted();
            assertThat(regions)
                    .allSatisfy(
                            region -> assertThat(region.alignmentOffset(0, 64)).isZero());
        }
    }
}

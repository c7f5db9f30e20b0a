package io.penstock.serve;

import static io.penstock.serve.Eventually.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.batch.Batch;
import io.penstock.batch.BatchPlan;
import io.penstock.fault.StoreException;
import io.penstock.order.Position;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

class BatchRingTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int SAMPLES = 60;
    private static final int BATCHES = SAMPLES / CountedFeed.BATCH;
    private static final int BYTES = 5000;

    @TempDir
    private Path temporary;

    private final CountedFeed feed = new CountedFeed(SAMPLES, BYTES, 1);

    private BatchServer start(BatchFeed served) {
        return ServerPlan.of(served).shared(temporary.resolve("shared")).start();
    }

    /** A board as a consumer has it. */
    private record Seen(Path file, ByteBuffer mapped, int messages, int room) {

        static Seen of(JsonNode first) throws IOException {
            JsonNode about = first.path("board");
            Path file = Path.of(about.path("file").asText());
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                ByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, channel.size())
                        .order(ByteOrder.LITTLE_ENDIAN);
                return new Seen(
                        file,
                        mapped,
                        about.path("messages").asInt(),
                        about.path("room").asInt());
            }
        }

        long given() {
            return mapped.getLong(0);
        }

        void giveBack(long done) {
            mapped.putLong(64, done);
        }

        JsonNode message(long number) throws IOException {
            int at = 4096 + (int) (number % messages) * room;
            byte[] json = new byte[mapped.getInt(at)];
            mapped.get(at + Integer.BYTES, json);
            return JSON.readTree(json);
        }
    }

    @Test
    void batches_ofTheWhole_areAnnouncedAndNotAskedFor() throws Exception {
        List<Integer> seen = new ArrayList<>();
        try (BatchServer server = start(feed);
                Talk talk = new Talk(server.address())) {
            JsonNode first = talk.ask("/shared?board=1").json();
            Seen board = Seen.of(first);
            for (int number = 0; number < BATCHES; number++) {
                long least = number;
                await(() -> board.given() > least);
                JsonNode message = board.message(number);
                assertThat(message.path("batch").asInt()).isEqualTo(number);
                seen.addAll(SharedMemoryTest.read(message));
                board.giveBack(number + 1);
            }

            assertThat(board.message(0).path("fields").isArray()).isTrue();
            assertThat(talk.ask("/shared?done=%d&next=%<d".formatted(BATCHES))
                            .json()
                            .path("end")
                            .asBoolean())
                    .isTrue();
            server.served().block();
        }

        assertThat(seen).isEqualTo(BatchServerTest.order(SAMPLES));
        assertThat(temporary.resolve("shared")).doesNotExist();
        await(() -> feed.out() == 0);
    }

    @Test
    void consumer_thatGivesNothingBack_holdsTheRunUntilItDoes() throws Exception {
        try (BatchServer server = start(feed);
                Talk talk = new Talk(server.address())) {
            Seen board = Seen.of(talk.ask("/shared?board=1").json());
            await(() -> board.given() == Hub.DEPTH);
            JsonNode first = board.message(0);

            assertThat(talk.ask("/shared?next=" + Hub.DEPTH).status()).isEqualTo(409);
            assertThat(feed.out()).isEqualTo(Hub.DEPTH);
            assertThat(feed.loads())
                    .isLessThanOrEqualTo((long) CountedFeed.BATCH * BatchFeed.SLOTS + CountedFeed.IN_FLIGHT);
            assertThat(SharedMemoryTest.read(first))
                    .isEqualTo(BatchServerTest.order(SAMPLES).subList(0, CountedFeed.BATCH));
            board.giveBack(1);
            await(() -> board.given() == Hub.DEPTH + 1);
            assertThat(SharedMemoryTest.read(board.message(1)))
                    .isEqualTo(BatchServerTest.order(SAMPLES).subList(CountedFeed.BATCH, 2 * CountedFeed.BATCH));
        }
    }

    @Test
    void consumer_thatIsGone_givesBackWhatWasAnnouncedToo() throws Exception {
        try (BatchServer server = start(feed)) {
            Seen board;
            String token;
            try (Talk talk = new Talk(server.address())) {
                JsonNode first = talk.ask("/shared?board=1").json();
                token = first.path("resume").asText();
                board = Seen.of(first);
                Seen announced = board;
                await(() -> announced.given() == Hub.DEPTH);
            }
            Seen left = board;

            await(() -> feed.out() == 0 && feed.ended() == 1);
            assertThat(left.given()).isZero();
            await(() -> Files.notExists(left.file()));
            try (Talk talk = new Talk(server.address())) {
                JsonNode next = talk.ask("/shared?board=1&resume=" + token).json();
                assertThat(SharedMemoryTest.read(next))
                        .isEqualTo(BatchServerTest.order(SAMPLES).subList(4, 8));
            }
        }
    }

    @Test
    void consumer_thatAsksToo_getsTheBatchOfThatNumber() throws Exception {
        try (BatchServer server = start(feed);
                Talk talk = new Talk(server.address())) {
            Seen board = Seen.of(talk.ask("/shared?board=1").json());
            await(() -> board.given() == Hub.DEPTH);

            assertThat(talk.ask("/shared?done=1&next=2").json()).isEqualTo(board.message(2));
            await(() -> board.given() == 1 + Hub.DEPTH);
            assertThat(talk.ask("/shared?done=2&next=4").json().path("batch").asInt())
                    .isEqualTo(4);
            assertThat(talk.ask("/shared?done=2&next=1").status()).isEqualTo(400);
        }
    }

    @Test
    void question_forABatchThatIsFarAhead_isRefused() throws Exception {
        try (BatchServer server = start(feed);
                Talk talk = new Talk(server.address())) {
            talk.ask("/shared?board=1");

            Talk.Answer answer = talk.ask("/shared?next=100");

            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.json().path("error").asText())
                    .contains("next must be")
                    .contains("was 100");
        }
    }

    /** It may do harm to itself alone. */
    @ParameterizedTest
    @ValueSource(longs = {Long.MAX_VALUE, 1L << 40})
    void consumer_thatWritesNonsense_isBelievedAsFarAsItCanBeTrue(long done) throws Exception {
        try (BatchServer server = start(feed);
                Talk talk = new Talk(server.address());
                Talk other = new Talk(server.address())) {
            Seen wrong = Seen.of(talk.ask("/shared?board=1").json());
            Seen right = Seen.of(other.ask("/shared?board=1").json());
            wrong.giveBack(done);
            List<Integer> seen = new ArrayList<>();

            for (int number = 0; number < BATCHES; number++) {
                long least = number;
                await(() -> right.given() > least);
                seen.addAll(SharedMemoryTest.read(right.message(number)));
                right.giveBack(number + 1);
            }

            assertThat(seen).isEqualTo(BatchServerTest.order(SAMPLES));
            await(() -> wrong.given() == BATCHES);
        }
    }

    @Test
    void consumer_thatWritesANegativeCount_hasGivenNothingBack() throws Exception {
        try (BatchServer server = start(feed);
                Talk talk = new Talk(server.address())) {
            Seen board = Seen.of(talk.ask("/shared?board=1").json());
            board.giveBack(Long.MIN_VALUE);
            await(() -> board.given() == Hub.DEPTH);

            assertThat(talk.ask("/shared?next=" + Hub.DEPTH).status()).isEqualTo(409);
        }
    }

    /** A run that breaks. */
    private record Failing(CountedFeed sound) implements BatchFeed {

        @Override
        public int ranks() {
            return 1;
        }

        @Override
        public Position start() {
            return sound.start();
        }

        @Override
        public Flux<Batch> batches(int rank, Position from, IntFunction<ByteBuffer> memory) {
            return sound.batches(rank, from, memory)
                    .take(2)
                    .concatWith(Flux.error(new StoreException("the disk is gone", new IOException("gone"))));
        }

        @Override
        public BatchPlan numbered(int rank, Position from) {
            return sound.numbered(rank, from);
        }

        @Override
        public Flux<Batch> batch(int rank, Position from, int draws, IntFunction<ByteBuffer> memory) {
            return sound.batch(rank, from, draws, memory);
        }

        @Override
        public Map<String, String> plan() {
            return sound.plan();
        }

        @Override
        public List<String> classes() {
            return List.of();
        }

        @Override
        public String token(Position at) {
            return sound.token(at);
        }

        @Override
        public Position position(String token) {
            return sound.position(token);
        }
    }

    @Test
    void failure_ofTheRun_isToldBehindItsLastBatch() throws Exception {
        try (BatchServer server = start(new Failing(feed));
                Talk talk = new Talk(server.address())) {
            Seen board = Seen.of(talk.ask("/shared?board=1").json());
            await(() -> board.given() == 2);

            assertThat(talk.ask("/shared?next=1").json().path("batch").asInt()).isOne();
            Talk.Answer answer = talk.ask("/shared?done=1&next=2");

            assertThat(answer.status()).isEqualTo(500);
            assertThat(answer.json().path("error").asText()).contains("the disk is gone");
        }
    }

    @Test
    void message_thatHasNoRoom_isLeftToBeAskedFor() throws Exception {
        try (BatchRing board = BatchRing.create(temporary.resolve("board"), gone -> {})) {
            Seen seen = Seen.of(JSON.readTree("{\"board\":" + board.about() + "}"));
            String longest = "\"" + "x".repeat(BatchRing.ROOM - Integer.BYTES - 2) + "\"";

            board.announce(0, longest);
            board.announce(1, longest + " ");

            assertThat(seen.given()).isEqualTo(2);
            assertThat(seen.message(0)).isEqualTo(JSON.readTree(longest));
            assertThat(seen.mapped().getInt(4096 + BatchRing.ROOM)).isZero();
        }
    }

    @Test
    void board_thatIsClosed_announcesNothingMore() throws Exception {
        List<BatchRing> gone = new ArrayList<>();
        BatchRing board = BatchRing.create(temporary.resolve("board"), gone::add);
        Seen seen = Seen.of(JSON.readTree("{\"board\":" + board.about() + "}"));
        board.announce(0, "{}");

        board.close();
        board.announce(1, "{}");

        assertThat(seen.given()).isZero();
        assertThat(seen.file()).doesNotExist();
        assertThat(gone).containsExactly(board);
    }
}

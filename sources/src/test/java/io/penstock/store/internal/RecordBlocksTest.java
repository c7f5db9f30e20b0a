package io.penstock.store.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.StoreException;
import io.penstock.kit.CountingStore;
import io.penstock.order.Draws;
import io.penstock.order.Sampler;
import io.penstock.store.Store;
import io.penstock.store.StoreEntry;
import io.penstock.store.StoreFile;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Records of 16 bytes in blocks of 1 KiB, of which sixteen stay in memory. */
class RecordBlocksTest {

    private static final int BLOCK = 1024;
    private static final int RECORD = 16;
    private static final int RECORDS = 6400; // a hundred blocks
    private static final int BYTES = RECORDS * RECORD;
    private static final RecordBlocks.Spans EQUAL = new RecordBlocks.Equal(0, RECORD, RECORDS);

    private final byte[] content = new byte[BYTES];
    private final CountingStore store = new CountingStore();
    private final RecordBlocks blocks = new RecordBlocks(BLOCK, BLOCK / 16, 16 * BLOCK);

    @SuppressWarnings("NullAway.Init")
    private StoreFile file;

    /** Records of half that length, each behind as many bytes of no record. */
    private record Halves(long size) implements RecordBlocks.Spans {
        @Override
        public long start(long record) {
            return record * RECORD + RECORD / 2;
        }

        @Override
        public long end(long record) {
            return start(record) + RECORD / 2;
        }
    }

    /** Records that lie where this says. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Ends(int... ends) implements RecordBlocks.Spans {
        @Override
        public long size() {
            return ends.length;
        }

        @Override
        public long start(long record) {
            return record == 0 ? 0 : ends[(int) record - 1];
        }

        @Override
        public long end(long record) {
            return ends[(int) record];
        }
    }

    @BeforeEach
    void fill() {
        new Random(1).nextBytes(content);
        store.put("a", content);
        file = new StoreFile(store, Objects.requireNonNull(store.entry("a").block()));
    }

    private Mono<byte[]> load(RecordBlocks.Spans spans, int record) {
        return blocks.read(0, file, spans, record, bytes -> {
            byte[] copy = new byte[bytes.remaining()];
            bytes.get(copy);
            return copy;
        });
    }

    private void readAll(Sampler order) {
        Draws draws = order.draws(RECORDS);
        for (int i = 0; i < RECORDS; i++) {
            int record = (int) draws.at(i).index();
            assertThat(load(EQUAL, record).block())
                    .as("record %d", record)
                    .isEqualTo(Arrays.copyOfRange(content, record * RECORD, (record + 1) * RECORD));
            assertThat(blocks.bytes()).isLessThanOrEqualTo(16 * BLOCK);
        }
    }

    private static long bytes(List<String> asked) {
        return asked.stream()
                .mapToLong(range -> Long.parseLong(range.replaceAll(".*\\+|]", "")))
                .sum();
    }

    @Test
    void read_inOrder_readsEachBlockOnce() {
        readAll(Sampler.sequential());

        List<String> asked = store.asked();
        assertThat(asked).hasSize(104).doesNotHaveDuplicates(); // the first records alone
        assertThat(bytes(asked)).isEqualTo(BYTES + 4 * RECORD);
    }

    @Test
    void read_inOrder_readsFourBlocksAhead() {
        int each = BLOCK / RECORD;
        for (int record = 0; record < each; record++) {
            load(EQUAL, record).block();
        }
        assertThat(store.asked()).endsWith("a[0+1024]"); // it may have been all

        load(EQUAL, each).block();
        assertThat(store.asked())
                .containsExactly("a[1024+1024]", "a[2048+1024]", "a[3072+1024]", "a[4096+1024]", "a[5120+1024]");

        load(EQUAL, 2 * each - 1).block();
        load(EQUAL, 2 * each).block();
        assertThat(store.asked()).isEmpty(); // too little was taken of the block before
    }

    @Test
    void read_recordsOfABlock_shareItsBytesFromASixteenthOn() {
        int[] ends = new int[BYTES / (2 * RECORD)]; // of 16 and 48 bytes in turns
        Arrays.setAll(ends, record -> record / 2 * 4 * RECORD + (record % 2 == 0 ? RECORD : 4 * RECORD));
        RecordBlocks halves = new RecordBlocks(BLOCK / 2, BLOCK, BYTES);
        Set<byte[]> larger = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int record = 0; record < ends.length; record++) {
            ByteBuffer bytes = Objects.requireNonNull(
                    halves.read(0, file, new Ends(ends), record, read -> read).block());
            int start = record == 0 ? 0 : ends[record - 1];
            assertThat(bytes).isEqualTo(ByteBuffer.wrap(content, start, ends[record] - start));
            if (record % 2 == 0) {
                assertThat(bytes.arrayOffset()).isZero();
                assertThat(bytes.array()).hasSize(RECORD);
            } else {
                larger.add(bytes.array());
            }
        }

        assertThat(larger.size()).isLessThan(BYTES / (BLOCK / 2) + 10);
    }

    @Test
    void read_allRecordsOfABlock_dropsIt() {
        RecordBlocks wide = new RecordBlocks(BLOCK, BLOCK / 16, BYTES);
        int each = BLOCK / RECORD;
        for (int record = 0; record < 20 * each; record++) {
            wide.read(0, file, EQUAL, record, bytes -> bytes).block();
        }

        assertThat(wide.bytes()).isEqualTo(5 * BLOCK); // the first, of which records were read alone, and four ahead
    }

    @Test
    void read_allRecordsOfABlock_dropsItThoughOtherBytesLieBetweenThem() {
        RecordBlocks wide = new RecordBlocks(BLOCK, BLOCK / 16, BYTES);
        RecordBlocks.Spans halves = new Halves(RECORDS);
        int each = BLOCK / RECORD;
        for (int record = 0; record < 20 * each; record++) {
            wide.read(0, file, halves, record, bytes -> bytes).block();
        }

        assertThat(wide.bytes()).isLessThanOrEqualTo(5 * BLOCK);
    }

    @Test
    void read_whileABlockIsUnderWay_countsEachRecordOnce() {
        int each = BLOCK / RECORD;
        for (int record = 0; record < each; record++) {
            load(EQUAL, record).block();
        }
        store.asked();
        Sinks.Empty<Void> gate = store.close();
        for (int record = each; record < each + each / 2; record++) {
            load(EQUAL, record).subscribe();
        }
        gate.tryEmitEmpty();

        for (int record = each + each / 2; record < 2 * each; record++) {
            load(EQUAL, record).block();
            load(EQUAL, record + each).block(); // of another block that is held
        }

        assertThat(store.asked()).doesNotHaveDuplicates().contains("a[1024+1024]");
        assertThat(blocks.bytes()).isEqualTo(5 * BLOCK); // without the second block, of which all was taken
    }

    @Test
    void read_aheadOfALargeRecord_readsNothingForTheBlocksWithinIt() {
        int[] ends = IntStream.rangeClosed(1, 128).map(i -> i * RECORD).toArray();
        int large = ends.length;
        ends = IntStream.concat(IntStream.of(ends), IntStream.of(7048, 7064, 7080))
                .toArray();
        Ends spans = new Ends(ends);

        for (int record = 0; record < large; record++) {
            load(spans, record).block();
        }
        assertThat(store.asked()).endsWith("a[0+1024]", "a[1024+1024]");

        assertThat(load(spans, large).block()).hasSize(5000);
        assertThat(load(spans, large + 1).block()).hasSize(RECORD);
        assertThat(store.asked()).containsExactly("a[2048+5000]", "a[7048+16]");
    }

    @Test
    void read_shuffledByWindowsThatFit_readsLittleTwice() {
        readAll(Sampler.windowed(1, 2 * BLOCK / RECORD, 2));

        List<String> asked = store.asked();
        assertThat(asked.size()).isLessThan(600);
        assertThat(bytes(asked)).isLessThan(BYTES * 12 / 10);
    }

    @Test
    void read_shuffledOverMoreThanFits_readsSingleRecords() {
        RecordBlocks rare = new RecordBlocks(16 * BLOCK, BLOCK, 2 * 16 * BLOCK);
        List<Integer> order = new ArrayList<>();
        Draws draws = Sampler.shuffled(1).draws(RECORDS);
        for (int i = 0; i < RECORDS; i++) {
            order.add((int) draws.at(i).index());
        }

        order.forEach(
                record -> rare.read(0, file, EQUAL, record, bytes -> bytes).block());

        assertThat(bytes(store.asked())).isLessThan(BYTES * 3 / 2);
    }

    @Test
    void read_orderThatBecomesSequential_readsBlocksAgain() {
        readAll(Sampler.shuffled(1));
        store.asked();

        readAll(Sampler.sequential());

        assertThat(store.asked().size()).isLessThan(110);
    }

    @Test
    void read_blockUnderWay_isSharedAndReadOnce() {
        Sinks.Empty<Void> gate = store.close();
        List<byte[]> came = new ArrayList<>();
        for (int record = 0; record < BLOCK / RECORD; record++) {
            load(EQUAL, record).subscribe(came::add);
        }

        assertThat(came).isEmpty();
        gate.tryEmitEmpty();

        assertThat(came).hasSize(BLOCK / RECORD);
        assertThat(store.asked()).containsExactly("a[0+16]", "a[16+16]", "a[32+16]", "a[48+16]", "a[0+1024]");
    }

    @Test
    void read_largeRecordAmongSmallOnes_isReadAlone() {
        Ends spans = new Ends(16, 32, 48, 64, 80, 80 + 5000, 80 + 5000 + 16);

        for (int record = 0; record < spans.size(); record++) {
            byte[] expected = Arrays.copyOfRange(content, (int) spans.start(record), (int) spans.end(record));
            assertThat(load(spans, record).block()).isEqualTo(expected);
        }

        assertThat(store.asked()).endsWith("a[48+16]", "a[0+80]", "a[80+5000]", "a[5080+16]");
    }

    @Test
    void read_emptyRecords_areEmpty() {
        Ends spans = new Ends(0, 0, 64, 64);

        for (int record : new int[] {0, 1, 3}) {
            assertThat(load(spans, record).block()).isEmpty();
        }
        assertThat(load(spans, 2).block()).hasSize(64);
    }

    @Test
    void read_functionThatThrows_failsThatRecordAlone() {
        RecordBlocks.Spans spans = EQUAL;
        Mono<Integer> bad = blocks.read(0, file, spans, 1, bytes -> {
            throw new IllegalStateException("bad record");
        });

        assertThatThrownBy(bad::block).hasMessage("bad record");
        assertThat(load(spans, 2).block()).hasSize(RECORD);
        assertThatThrownBy(bad::block).hasMessage("bad record");
    }

    @Test
    void read_blockThatCannotBeRead_readsTheRecordAlone() {
        StoreFile half = new StoreFile(new HalfStore(store), file.entry());
        RecordBlocks.Spans spans = EQUAL;

        for (int record = 0; record < 32; record++) {
            byte[] came = blocks.read(0, half, spans, record, ByteBuffer::array).block();
            assertThat(came).isEqualTo(Arrays.copyOfRange(content, record * RECORD, (record + 1) * RECORD));
        }
        assertThatThrownBy(
                        () -> blocks.read(0, half, spans, 60, ByteBuffer::array).block())
                .isInstanceOf(StoreException.class)
                .hasMessage("a bad sector");
    }

    /** Of the first block, the second half cannot be read. */
    private record HalfStore(CountingStore store) implements Store {
        @Override
        public String location() {
            return store.location();
        }

        @Override
        public void list(Visitor visitor) {
            store.list(visitor);
        }

        @Override
        public Mono<ByteBuffer> read(StoreEntry entry) {
            return store.read(entry);
        }

        @Override
        public Mono<ByteBuffer> read(StoreEntry entry, long offset, int length) {
            return offset + length > BLOCK / 2
                    ? Mono.error(new StoreException("a bad sector"))
                    : store.read(entry, offset, length);
        }

        @Override
        public Mono<StoreEntry> entry(String key) {
            return store.entry(key);
        }

        @Override
        public Mono<ByteBuffer> find(String key, int max) {
            return store.find(key, max);
        }
    }
}

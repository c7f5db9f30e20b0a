package io.penstock.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.StoreException;
import io.penstock.store.LocalStore;
import io.penstock.store.Manifest;
import io.penstock.store.Store;
import io.penstock.store.StoreEntry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** What it means to be a store. Extend it for each one. */
public abstract class StoreKit {

    private static final String KEY = "a/data.bin";
    private static final String EMPTY = "empty";
    private static final int SIZE = 300_000;
    private static final int REWRITES = 10;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private byte[] bytes = {};

    /** A store of the files of a folder, which it may read now or later. */
    protected abstract Store open(Path folder) throws Exception;

    /** The key that the store has for the file {@code a/data.bin}. */
    protected String key() {
        return KEY;
    }

    /** Whether the store holds the other file, {@code empty}, too. */
    protected boolean holdsAll() {
        return true;
    }

    /** Replaces what the store holds, in place where it can, while the store is open. */
    protected void rewrite(Path folder, String key, byte[] bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(folder.resolve(key), StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(bytes), 0);
        }
    }

    @BeforeEach
    void write() throws IOException {
        Files.createDirectories(folder.resolve("a"));
        bytes = filled(1);
        Files.write(folder.resolve(KEY), bytes);
        Files.write(folder.resolve(EMPTY), new byte[0]);
    }

    private static byte[] filled(int value) {
        byte[] filled = new byte[SIZE];
        Arrays.fill(filled, (byte) value);
        return filled;
    }

    private static StoreEntry entry(Store store, String key) {
        return Objects.requireNonNull(store.entry(key).block(), key);
    }

    @Test
    void list_tellsWhatEntryTells() throws Exception {
        Store store = open(folder);

        Map<String, StoreEntry> listed = new TreeMap<>();
        store.list((key, size, version) -> listed.put(key, new StoreEntry(key, size, version)));

        assertThat(listed.keySet()).isEqualTo(holdsAll() ? Set.of(key(), EMPTY) : Set.of(key()));
        for (StoreEntry entry : listed.values()) {
            assertThat(entry(store, entry.key()).size()).isEqualTo(entry.size());
            assertThat(store.read(entry).block()).isEqualTo(ByteBuffer.wrap(bytes, 0, (int) entry.size()));
        }
    }

    @Test
    void entry_ofALineWithoutMore_isThatOfItsKey() throws Exception {
        Store store = open(folder);
        StoreEntry entry = entry(store, key());

        StoreEntry ofLine =
                store.entry(new Manifest.Line(key(), -1, null, null, null, -1)).block();

        assertThat(ofLine).isEqualTo(entry);
        assertThat(store.state(entry)).hasSize(2).first().isEqualTo("size " + SIZE);
    }

    @Test
    void read_rangesOfTheEntry_areThoseBytes() throws Exception {
        for (int i = 0; i < SIZE; i++) {
            bytes[i] = (byte) (i * 31 >> 3);
        }
        Files.write(folder.resolve(KEY), bytes);
        Store store = open(folder);
        StoreEntry entry = entry(store, key());

        for (int[] range : new int[][] {{0, 0}, {0, 1}, {SIZE, 0}, {SIZE - 1, 1}, {70_000, 200_000}, {0, SIZE}}) {
            ByteBuffer expected = ByteBuffer.wrap(Arrays.copyOfRange(bytes, range[0], range[0] + range[1]));
            assertThat(store.read(entry, range[0], range[1]).block()).isEqualTo(expected);
            assertThat(LocalStore.read(store, entry, range[0], range[1], ByteBuffer::remaining)
                            .block())
                    .isEqualTo(range[1]);
        }
        assertThat(store.read(entry).block()).isEqualTo(ByteBuffer.wrap(bytes));
        assertThat(store.find(key(), SIZE).block()).isEqualTo(ByteBuffer.wrap(bytes));
        assertThat(LocalStore.find(store, key(), SIZE, ByteBuffer::remaining).block())
                .isEqualTo(SIZE);
        assertThat(store.find(key(), SIZE, SIZE).block()).isEqualTo(ByteBuffer.wrap(bytes));
        if (holdsAll()) {
            assertThat(store.read(entry(store, EMPTY)).block()).isEqualTo(ByteBuffer.allocate(0));
        }
    }

    @Test
    void read_rangesThatLeaveTheEntry_areRefused() throws Exception {
        Store store = open(folder);
        StoreEntry entry = entry(store, key());

        for (long[] range : new long[][] {
            {-1, 1},
            {0, -1},
            {SIZE, 1},
            {1, SIZE},
            {SIZE + 1, 0},
            {SIZE, Integer.MIN_VALUE},
            {Long.MAX_VALUE, 1},
            {Long.MAX_VALUE, Integer.MAX_VALUE},
            {Long.MIN_VALUE, Integer.MAX_VALUE}
        }) {
            assertThatThrownBy(() -> store.read(entry, range[0], (int) range[1]))
                    .as(Arrays.toString(range))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> LocalStore.read(store, entry, range[0], (int) range[1], ByteBuffer::remaining))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void read_beforeDemand_deliversNothing() throws Exception {
        Store store = open(folder);
        StoreEntry entry = entry(store, key());

        for (Mono<ByteBuffer> read : List.of(store.read(entry), store.read(entry, 0, SIZE), store.find(key(), SIZE))) {
            StepVerifier.create(read, 0)
                    .expectSubscription()
                    .thenRequest(1)
                    .expectNext(ByteBuffer.wrap(bytes))
                    .verifyComplete();
        }
    }

    @Test
    void find_ofMoreThanExpected_isRefused() throws Exception {
        Store store = open(folder);

        for (int max : new int[] {SIZE - 1, 0, -1}) {
            for (Mono<?> found : List.of(
                    store.find(key(), max),
                    LocalStore.find(store, key(), max, ByteBuffer::remaining),
                    store.find(key(), max, SIZE))) {
                assertThatThrownBy(found::block)
                        .isInstanceOf(StoreException.class)
                        .hasMessageContaining(key());
            }
        }
    }

    @Test
    void keys_thatNameNothing_haveNoEntry() throws Exception {
        Store store = open(folder);

        for (String key : List.of("b", "a", "a/data.bin/c", "", "/", "..", "../a/data.bin", "a//data.bin", "a\0b")) {
            assertThat(valueOf(() -> store.entry(key))).as(key).isNull();
            assertThat(valueOf(() -> store.find(key, SIZE))).as(key).isNull();
            assertThat(valueOf(() -> store.find(key, SIZE, SIZE))).as(key).isNull();
            assertThatThrownBy(() -> store.read(new StoreEntry(key, 1, 1)).block())
                    .isInstanceOf(StoreException.class);
        }
    }

    /** What there is, or null for nothing and for a refusal. */
    private static <T> @Nullable T valueOf(Supplier<Mono<T>> asked) {
        return Mono.defer(asked).onErrorComplete(StoreException.class).block();
    }

    @Test
    void read_entryRewrittenSinceItWasListed_isWhatWasListedOrRefused() throws Exception {
        Store store = open(folder);
        StoreEntry entry = entry(store, key());
        assertThat(store.read(entry, 10, 10).block()).isEqualTo(ByteBuffer.wrap(bytes, 10, 10)); // a file is open now

        rewrite(folder, KEY, filled(2));

        for (Mono<ByteBuffer> read :
                List.of(store.read(entry, 10, 10), store.read(entry), store.read(entry, 0, SIZE))) {
            ByteBuffer value = valueOf(() -> read);
            assertThat(value)
                    .satisfiesAnyOf(
                            nothing -> assertThat(nothing).isNull(),
                            old -> assertThat(Objects.requireNonNull(old).get(0))
                                    .isEqualTo((byte) 1));
        }
    }

    @Test
    void read_whileTheEntryIsRewritten_neverMixesTwoStates() throws Exception {
        Store store = open(folder);
        ReentrantLock complete =
                new ReentrantLock(true); // an entry is listed between two writes, and read during others
        AtomicBoolean done = new AtomicBoolean();
        CompletableFuture<Void> writer = CompletableFuture.runAsync(
                () -> {
                    for (int value = 2; !done.get(); value++) {
                        int now = value;
                        locked(complete, () -> {
                            rewrite(folder, KEY, filled(now));
                            return now;
                        });
                    }
                },
                run -> new Thread(run).start());
        try {
            for (int i = 0; i < REWRITES; i++) {
                boolean whole = i % 2 == 0;
                StoreEntry entry = locked(complete, () -> entry(store, key()));
                ByteBuffer value = valueOf(() -> whole ? store.read(entry) : store.read(entry, 0, SIZE));
                if (value != null) {
                    assertThat(value.mismatch(ByteBuffer.wrap(filled(value.get(0)))))
                            .isEqualTo(-1);
                }
            }
        } finally {
            done.set(true);
            writer.join(); // fails as it did
        }
    }

    private static <T> T locked(ReentrantLock lock, Callable<T> work) {
        lock.lock();
        try {
            return work.call();
        } catch (Exception e) {
            throw new AssertionError(e);
        } finally {
            lock.unlock();
        }
    }
}

package io.penstock.store.mirror;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.StoreException;
import io.penstock.kit.WrappedStore;
import io.penstock.store.FileStore;
import io.penstock.store.Store;
import io.penstock.store.StoreEntry;
import io.penstock.store.internal.copy.BlockSums;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

class MirroredStoreTest {

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final int FILES = 20;

    @TempDir
    private Path origin;

    @TempDir
    private Path directory;

    private final List<byte[]> contents = new ArrayList<>();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private Counting source;

    /** Counts what it is asked for, and fails if told to. */
    private static final class Counting extends WrappedStore {
        private final AtomicInteger reads = new AtomicInteger();
        private volatile boolean broken;

        Counting(Store source) {
            super(source);
        }

        private <T> Mono<T> counted(Mono<T> read) {
            return Mono.defer(() -> {
                reads.incrementAndGet();
                return broken ? Mono.error(new StoreException("broken on purpose")) : read;
            });
        }

        @Override
        public Mono<ByteBuffer> read(StoreEntry entry) {
            return counted(super.read(entry));
        }

        @Override
        public Mono<ByteBuffer> read(StoreEntry entry, long offset, int length) {
            return counted(super.read(entry, offset, length));
        }
    }

    @BeforeEach
    void write() throws IOException {
        Random random = new Random(3);
        Files.createDirectories(origin.resolve("a"));
        for (int i = 0; i < FILES; i++) {
            byte[] bytes = new byte[1000 * (i + 1)];
            random.nextBytes(bytes);
            contents.add(bytes);
            Files.write(origin.resolve(key(i)), bytes);
        }
        source = new Counting(FileStore.open(origin));
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable store : opened) {
            store.close();
        }
    }

    private static String key(int i) {
        return "a/ü " + i + ".bin";
    }

    private StoreEntry entry(int i) {
        return source.entry(key(i)).block();
    }

    private MirroredStore mirror() {
        return kept(MirroredStore.of(source, directory));
    }

    private MirroredStore kept(MirroredStore store) {
        opened.add(store);
        return store;
    }

    private void assertRead(Store store, int i) {
        ByteBuffer read = store.read(entry(i)).block();
        assertThat(read).isEqualTo(ByteBuffer.wrap(contents.get(i)));
    }

    private List<Path> copies() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> MirrorNames.isCopy(file.getFileName().toString()))
                    .toList();
        }
    }

    @Test
    void read_secondTime_comesFromTheCopy() throws IOException {
        MirroredStore mirror = mirror();

        for (int times = 0; times < 3; times++) {
            for (int i = 0; i < FILES; i++) {
                assertRead(mirror, i);
            }
        }

        assertThat(source.reads).hasValue(FILES);
        assertThat(mirror.copied()).isEqualTo(FILES);
        assertThat(mirror.servedLocally()).isEqualTo(2 * FILES);
        assertThat(copies()).hasSize(FILES).allMatch(file -> file.toString().endsWith(".bin"));
    }

    @Test
    void read_withoutSubscription_copiesNothing() throws IOException {
        Mono<ByteBuffer> read = mirror().read(entry(3));

        assertThat(source.reads).hasValue(0);
        assertThat(read.block()).isEqualTo(ByteBuffer.wrap(contents.get(3)));
    }

    @Test
    void read_range_copiesTheWholeOnce() {
        MirroredStore mirror = mirror();

        for (int offset = 0; offset < 900; offset += 100) {
            assertThat(mirror.read(entry(0), offset, 100).block())
                    .isEqualTo(ByteBuffer.wrap(Arrays.copyOfRange(contents.get(0), offset, offset + 100)));
        }

        assertThat(source.reads).hasValue(1);
        assertThatThrownBy(() -> mirror.read(entry(0), 999, 2)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void read_largerThanASlice_isWhole() throws IOException {
        byte[] large = new byte[(17 << 20) + 5];
        new Random(1).nextBytes(large);
        Files.write(origin.resolve("large"), large);
        StoreEntry entry = source.entry("large").block();

        MirroredStore mirror = mirror();

        assertThat(mirror.read(entry).block()).isEqualTo(ByteBuffer.wrap(large));
        assertThat(mirror.path(entry).block()).hasBinaryContent(large);
        assertThat(source.reads).hasValue(3);
    }

    @Test
    void read_byManyAtOnce_copiesOnce() {
        MirroredStore one = mirror();
        MirroredStore other = mirror();

        List<ByteBuffer> read = Flux.range(0, 400)
                .flatMap(n -> (n % 2 == 0 ? one : other).read(entry(n / 2 % FILES)), 64)
                .collectList()
                .block();

        assertThat(read).hasSize(400);
        assertThat(source.reads).hasValue(FILES);
        assertThat(one.copied() + other.copied()).isEqualTo(FILES);
    }

    @Test
    void reopened_afterARun_usesWhatItLeft() throws IOException {
        MirroredStore first = mirror();
        for (int i = 0; i < FILES; i++) {
            assertRead(first, i);
        }
        first.close();
        Files.writeString(directory.resolve("foreign.txt"), "mine");

        MirroredStore second = mirror();
        for (int i = 0; i < FILES; i++) {
            assertRead(second, i);
        }

        assertThat(source.reads).hasValue(FILES);
        assertThat(second.copied()).isZero();
        assertThat(directory.resolve("foreign.txt")).hasContent("mine");
    }

    @Test
    void entry_thatChanged_isCopiedAnewAndItsOldCopyRemoved() throws IOException {
        MirroredStore mirror = mirror();
        assertRead(mirror, 2);
        byte[] changed = contents.get(2).clone();
        changed[7]++;
        contents.set(2, changed);
        Files.write(origin.resolve(key(2)), changed);
        Files.setLastModifiedTime(origin.resolve(key(2)), FileTime.fromMillis(12_345));

        assertRead(mirror, 2);

        assertThat(copies()).hasSize(1);
        assertThat(copies().get(0)).hasBinaryContent(changed);
    }

    @Test
    void budget_thatIsFull_holdsWhatItHasAndServesTheRest() throws IOException {
        MirroredStore mirror = kept(mirror().maxBytes(10_000));

        for (int times = 0; times < 2; times++) {
            for (int i = 0; i < FILES; i++) {
                assertRead(mirror, i);
            }
        }

        assertThat(copies()).hasSize(4); // 1000 + 2000 + 3000 + 4000 bytes
        assertThat(source.reads).hasValue(2 * FILES - 4);
        assertThatThrownBy(() -> mirror.path(entry(9)).block())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("no room for a/ü 9.bin, 10000 bytes")
                .hasMessageContaining("allow it more");
    }

    @Test
    void budget_afterARun_countsWhatItLeft() throws IOException {
        MirroredStore first = kept(mirror().maxBytes(10_000));
        assertRead(first, 8);
        first.close();
        Files.delete(directory.resolve(".penstock-mirror-room"));

        MirroredStore second = kept(mirror().maxBytes(10_000));
        assertRead(second, 1);
        assertRead(second, 0);

        assertThat(copies()).hasSize(2);
    }

    @Test
    void copy_ofWrongLength_isMadeAnew() throws IOException {
        MirroredStore mirror = mirror();
        assertRead(mirror, 4);
        Path copy = copies().get(0);
        Files.write(copy, new byte[17]);

        assertRead(mirror, 4);
        Files.write(copy, new byte[50_000]);
        assertRead(mirror, 4);

        assertThat(copy).hasBinaryContent(contents.get(4));
        assertThat(source.reads).hasValue(3);
    }

    @Test
    void unfinishedCopies_ofTheDead_areRemovedWhenOpened() throws IOException {
        MirroredStore first = mirror();
        assertRead(first, 0);
        first.close();
        Path left = Files.write(Path.of(copies().get(0) + "~1a2b"), new byte[500]);

        assertRead(mirror(), 1);

        assertThat(left).doesNotExist();
    }

    @Test
    void source_thatFails_isToldAndLeavesNothing() throws IOException {
        MirroredStore mirror = mirror();
        source.broken = true;

        assertThatThrownBy(() -> mirror.read(entry(5)).block()).hasMessageContaining("broken on purpose");
        source.broken = false;

        assertThat(copies()).isEmpty();
        assertRead(mirror, 5);
        assertThat(copies()).hasSize(1);
    }

    @Test
    void source_thatFailed_isAskedAgainByWhoHearsOfIt() throws IOException {
        MirroredStore mirror = mirror();
        source.broken = true;

        ByteBuffer read = mirror.read(entry(5))
                .onErrorResume(broken -> {
                    source.broken = false;
                    return mirror.read(entry(5));
                })
                .block();

        assertThat(read).isNotNull();
        assertThat(copies()).hasSize(1);
    }

    @Test
    void directory_thatCannotBeMade_leavesTheSourceServing() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "");
        MirroredStore mirror = kept(MirroredStore.of(source, file.resolve("below")));

        assertRead(mirror, 0);
        assertRead(mirror, 0);

        assertThat(source.reads).hasValue(2);
    }

    @Test
    void background_firstRead_isTheSourcesAndTheCopyFollows() {
        MirroredStore mirror = kept(mirror().inBackground());

        for (int i = 0; i < FILES; i++) {
            assertRead(mirror, i);
        }
        Flux.range(0, FILES).flatMap(i -> mirror.path(entry(i))).blockLast();
        for (int i = 0; i < FILES; i++) {
            assertRead(mirror, i);
        }

        assertThat(mirror.copied()).isEqualTo(FILES);
        assertThat(mirror.servedLocally()).isEqualTo(FILES);
    }

    @Test
    void sources_ofOneDirectory_neverMeet(@TempDir Path otherOrigin) throws IOException {
        Files.createDirectories(otherOrigin.resolve("a"));
        byte[] bytes = new byte[1000];
        Files.write(otherOrigin.resolve(key(0)), bytes);
        Files.setLastModifiedTime(otherOrigin.resolve(key(0)), Files.getLastModifiedTime(origin.resolve(key(0))));
        Counting other = new Counting(FileStore.open(otherOrigin));

        assertRead(mirror(), 0);
        ByteBuffer read =
                kept(MirroredStore.of(other, directory)).find(key(0), 1000).block();

        assertThat(read).isEqualTo(ByteBuffer.wrap(bytes));
    }

    @Test
    void listAndEntry_areTheSources() {
        List<String> keys = new ArrayList<>();
        MirroredStore mirror = mirror();

        mirror.list((key, size, version) -> keys.add(key));

        assertThat(keys).hasSize(FILES);
        assertThat(mirror.location()).isEqualTo(source.location());
        assertThat(mirror.entry("none").blockOptional(SOON)).isEmpty();
        assertThatThrownBy(() -> mirror.find(key(5), 10).block()).hasMessageContaining("at most 10 bytes");
    }

    @Test
    void read_copyWithAFlippedBitOrWithoutChecksums_isCopiedAnew() throws IOException {
        MirroredStore mirror = mirror();
        assertRead(mirror, 5);
        for (int times = 0; times < 3; times++) {
            Path copy = copies().get(0);
            byte[] bytes = Files.readAllBytes(copy);
            bytes[1234] ^= 1;
            Files.write(copy, bytes);
            if (times == 2) {
                Files.delete(BlockSums.beside(copy));
            }
            assertThat(MirrorDirectory.at(directory).damaged()).containsExactly(copy);

            StoreEntry entry = entry(5);
            ByteBuffer range = mirror.read(entry, 1000, 1000).block();
            Path path = times == 1 ? mirror.path(entry).block() : copy;

            assertThat(range).isEqualTo(ByteBuffer.wrap(contents.get(5), 1000, 1000));
            assertRead(mirror, 5);
            assertThat(Files.readAllBytes(path)).isEqualTo(contents.get(5));
            assertThat(MirrorDirectory.at(directory).damaged()).isEmpty();
        }
    }
}

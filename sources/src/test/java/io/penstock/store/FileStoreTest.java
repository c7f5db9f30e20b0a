package io.penstock.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.StoreException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

class FileStoreTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path temp;

    @SuppressWarnings("NullAway.Init")
    private Path root;

    @SuppressWarnings("NullAway.Init")
    private Path outside;

    @BeforeEach
    void write() throws IOException {
        root = Files.createDirectory(temp.toRealPath().resolve("root"));
        outside = Files.createDirectory(temp.toRealPath().resolve("root-not"));
        Files.writeString(outside.resolve("secret"), "secret");
        Files.createDirectories(root.resolve("a/b"));
        Files.writeString(root.resolve("a/b/1"), "one");
        Files.writeString(root.resolve("a/2"), "two");
    }

    private static List<String> list(FileStore store) {
        List<String> keys = new ArrayList<>();
        store.list((key, size, version) -> keys.add(key));
        keys.sort(null);
        return keys;
    }

    private static String text(ByteBuffer bytes) {
        return StandardCharsets.UTF_8.decode(bytes).toString();
    }

    @Test
    void list_linksWithinTheRoot_areFollowed() throws IOException {
        Files.createSymbolicLink(root.resolve("a/file"), root.resolve("a/2"));
        Files.createSymbolicLink(root.resolve("linked"), Path.of("a/b"));

        List<String> keys = list(FileStore.open(root));

        assertThat(keys).containsExactly("a/2", "a/b/1", "a/file", "linked/1");
    }

    @Test
    void list_linksThatLeadOutNowhereOrInCircles_areLeftOut() throws IOException {
        Files.createSymbolicLink(root.resolve("a/secret"), outside.resolve("secret"));
        Files.createSymbolicLink(root.resolve("out"), outside);
        Files.createSymbolicLink(root.resolve("dangling"), Path.of("nothing"));
        Files.createSymbolicLink(root.resolve("a/up"), root);
        Files.createSymbolicLink(root.resolve("a/b/self"), Path.of("self"));
        Files.createSymbolicLink(root.resolve("a/b/here"), Path.of("."));

        List<String> skipped = FileWalk.visit(root, (key, size, version) -> {});

        assertThat(skipped).containsExactlyInAnyOrder("a/secret", "out", "dangling", "a/up", "a/b/self", "a/b/here");
        assertThat(list(FileStore.open(root))).containsExactly("a/2", "a/b/1");
    }

    @Test
    void list_foldersThatAllLinkToEachOther_ends() throws IOException {
        int folders = 12; // 12! paths, if each were walked
        for (int from = 0; from < folders; from++) {
            Path folder = Files.createDirectories(root.resolve("f" + from));
            Files.writeString(folder.resolve("x"), "x");
            for (int to = 0; to < folders; to++) {
                Files.createSymbolicLink(folder.resolve("to" + to), root.resolve("f" + to));
            }
        }

        List<String> keys = list(FileStore.open(root));

        assertThat(keys).hasSize(2 + folders * folders).contains("f3/x", "f3/to4/x");
    }

    @Test
    void read_wholeFile_throughALinkToo() throws IOException {
        Files.createSymbolicLink(root.resolve("a/file"), root.resolve("a/2"));
        Files.createSymbolicLink(root.resolve("linked"), Path.of("a/b"));
        FileStore store = FileStore.open(root);
        List<StoreEntry> entries = new ArrayList<>();
        store.list((key, size, version) -> entries.add(new StoreEntry(key, size, version)));

        List<String> texts = Flux.fromIterable(entries)
                .sort((x, y) -> x.key().compareTo(y.key()))
                .concatMap(store::read)
                .map(FileStoreTest::text)
                .collectList()
                .block();

        assertThat(texts).containsExactly("two", "one", "two", "one");
    }

    @Test
    void read_keysThatLeadOut_areRefused() throws IOException {
        Files.createSymbolicLink(root.resolve("a/secret"), outside.resolve("secret"));
        Files.createSymbolicLink(root.resolve("out"), outside);
        FileStore store = FileStore.open(root);
        long version = FileStore.open(outside).entry(outside.resolve("secret")).version();

        for (String key : List.of(
                "../root-not/secret",
                "a/../../root-not/secret",
                outside + "/secret",
                "a/secret",
                "out/secret",
                "a//2",
                "./a/2",
                "a/..",
                "",
                "/",
                "a/2\0")) {
            StoreEntry entry = new StoreEntry(key, 6, version);
            StepVerifier.create(store.read(entry))
                    .verifyErrorSatisfies(e -> assertThat(e)
                            .as(key)
                            .isInstanceOf(StoreException.class)
                            .hasMessageStartingWith("key must name a file below " + root));
            StepVerifier.create(store.read(entry, 0, 1)).verifyError(StoreException.class);
        }
        assertThatThrownBy(() -> store.entry(outside.resolve("secret"))).isInstanceOf(StoreException.class);
        assertThatThrownBy(() -> store.entry(root.resolve("a/secret"))).isInstanceOf(StoreException.class);
    }

    @Test
    void read_fileReplacedByALinkOut_isRefused() throws IOException {
        FileStore store = FileStore.open(root);
        StoreEntry entry = store.entry(root.resolve("a/2"));
        StepVerifier.create(store.read(entry)).expectNextCount(1).verifyComplete();

        Files.delete(root.resolve("a/2"));
        Files.createSymbolicLink(root.resolve("a/2"), outside.resolve("secret"));

        StepVerifier.create(store.read(entry))
                .verifyErrorSatisfies(e -> assertThat(e).hasMessageStartingWith("key must name a file below"));
    }

    @Test
    void find_ofKeysThatWereNotListed_givesTheBytesOrNothing() throws IOException {
        Files.createDirectories(root.resolve("a/c"));
        Files.write(root.resolve("a/c/0.0"), new byte[] {1, 2, 3});
        FileStore store = FileStore.open(root);

        StepVerifier.create(store.find("a/c/0.0", 3), 0)
                .thenRequest(1)
                .expectNext(ByteBuffer.wrap(new byte[] {1, 2, 3}))
                .verifyComplete();
        StepVerifier.create(store.entry("a/c/0.0"), 0)
                .thenRequest(1)
                .expectNextMatches(entry -> entry.size() == 3 && entry.key().equals("a/c/0.0"))
                .verifyComplete();
        for (String nothing : List.of("a/c/0.1", "a/d/0", "a/c", "a/c/0.0/0")) {
            StepVerifier.create(store.find(nothing, 3)).verifyComplete();
            StepVerifier.create(store.entry(nothing)).verifyComplete();
        }
    }

    @Test
    void find_moreThanExpectedOrOutside_isRefused() throws IOException {
        Files.write(root.resolve("big"), new byte[100]);
        FileStore store = FileStore.open(root);

        StepVerifier.create(store.find("big", 99))
                .expectErrorMatches(e -> e instanceof StoreException
                        && e.getMessage().contains("at most 99 bytes are expected, it has 100"))
                .verify();
        StepVerifier.create(store.find("../big", 100))
                .expectError(StoreException.class)
                .verify();
        StepVerifier.create(store.entry("../big"))
                .expectError(StoreException.class)
                .verify();
    }

    @Test
    void read_range_isThatRange() throws IOException {
        byte[] bytes = new byte[700_000];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i * 31 >> 3);
        }
        Files.write(root.resolve("large"), bytes);
        FileStore store = FileStore.open(root);
        StoreEntry entry = store.entry(root.resolve("large"));

        for (int[] range : new int[][] {{0, 0}, {0, 1}, {700_000, 0}, {699_999, 1}, {1, 699_998}, {0, 700_000}}) {
            byte[] wanted = Arrays.copyOfRange(bytes, range[0], range[0] + range[1]);
            StepVerifier.create(store.read(entry, range[0], range[1]))
                    .expectNext(ByteBuffer.wrap(wanted))
                    .verifyComplete();
        }
        StepVerifier.create(store.read(entry))
                .expectNext(ByteBuffer.wrap(bytes))
                .verifyComplete();
        assertThatThrownBy(() -> store.read(entry, 1, 700_000)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(store.files().size()).isEqualTo(1);
    }

    @Test
    void read_onInterruptedThreads_losesNothing() throws IOException {
        FileStore store = FileStore.open(root, Schedulers.fromExecutor(interruptedThreads()));
        StoreEntry entry = store.entry(root.resolve("a/2"));

        List<String> texts = Flux.range(0, 2000)
                .flatMap(i -> i % 3 == 0 ? store.read(entry) : store.read(entry, 0, 3), 16)
                .map(FileStoreTest::text)
                .collectList()
                .block();

        assertThat(texts).hasSize(2000).containsOnly("two");
    }

    /** Threads that somebody keeps interrupting. */
    private static Executor interruptedThreads() {
        Executor threads = Executors.newFixedThreadPool(4, task -> {
            Thread thread = new Thread(task);
            thread.setDaemon(true);
            return thread;
        });
        return task -> threads.execute(() -> {
            Thread.currentThread().interrupt();
            task.run();
        });
    }

    @Test
    void read_manyFiles_keepsABoundedNumberOpen() throws IOException {
        int files = 3 * FileStore.MAX_OPEN;
        for (int i = 0; i < files; i++) {
            Files.writeString(root.resolve("f" + i), "file " + i);
        }
        FileStore store = FileStore.open(root);
        List<StoreEntry> entries = IntStream.range(0, files)
                .mapToObj(i -> store.entry(root.resolve("f" + i)))
                .toList();

        List<String> texts = Flux.range(0, 4000)
                .flatMapSequential(i -> store.read(entries.get(i * 7 % files), 5, 1), 32)
                .map(FileStoreTest::text)
                .collectList()
                .block();

        assertThat(texts)
                .isEqualTo(IntStream.range(0, 4000)
                        .mapToObj(i -> Integer.toString(i * 7 % files).substring(0, 1))
                        .toList());
        assertThat(store.files().size()).isLessThanOrEqualTo(FileStore.MAX_OPEN);
        store.close();
        assertThat(store.files().size()).isZero();
    }

    @Test
    void files_ofAStoreThatNobodyHolds_areClosed() throws IOException {
        OpenFiles files = filesOfADroppedStore();

        for (int i = 0; i < 1000 && files.size() > 0; i++) {
            System.gc(); // as often as it takes to be believed
        }

        assertThat(files.size()).isZero();
    }

    private OpenFiles filesOfADroppedStore() throws IOException {
        FileStore store = FileStore.open(root);
        StepVerifier.create(store.read(store.entry(root.resolve("a/2")), 0, 1))
                .expectNextCount(1)
                .verifyComplete();
        assertThat(store.files().size()).isEqualTo(1);
        return store.files();
    }

    @Test
    void read_runsOnTheSchedulerAndNeverOnTheCaller() throws IOException {
        CountDownLatch release = new CountDownLatch(1);
        Executor busy = task -> Schedulers.boundedElastic().schedule(() -> {
            awaitQuietly(release);
            task.run();
        });
        FileStore store = FileStore.open(root, Schedulers.fromExecutor(busy));
        StoreEntry entry = store.entry(root.resolve("a/2"));
        Thread caller = Thread.currentThread();

        StepVerifier.create(store.read(entry).map(bytes -> Thread.currentThread()))
                .then(release::countDown)
                .assertNext(thread -> assertThat(thread).isNotSameAs(caller))
                .verifyComplete();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void find_withAFunction_appliesItWhereItRead() {
        try (FileStore store = FileStore.open(root)) {
            StoreEntry entry = store.entry(root.resolve("a/b/1"));

            String made = store.find(
                            "a/b/1", 10, bytes -> Thread.currentThread().getName())
                    .block();
            String part = store.read(
                            entry,
                            1,
                            2,
                            bytes -> StandardCharsets.US_ASCII.decode(bytes).toString())
                    .block();

            assertThat(made).startsWith("penstock-read-");
            assertThat(part).isEqualTo("ne");
            assertThat(store.find("none", 10, ByteBuffer::remaining).block()).isNull();
            assertThatThrownBy(
                            () -> store.find("a/b/1", 10, ByteBuffer::getLong).block())
                    .isInstanceOf(java.nio.BufferUnderflowException.class);
        }
    }
}

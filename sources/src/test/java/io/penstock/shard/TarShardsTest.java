package io.penstock.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import io.penstock.cache.SampleKey;
import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.store.ShortStore;
import io.penstock.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TarShardsTest {

    private static final String BROKEN =
            "t/b.tar in short://store is cut off after the bytes of its last member, at byte 700 (header at byte 1024);"
                    + " fetch it again";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path cache;

    private static byte[] shard(int first) {
        TarMaker maker = new TarMaker();
        for (int i = first; i < first + 3; i++) {
            maker.file("s/%d.bin".formatted(i), new byte[] {(byte) i, 1, 2}).file("s/%d.cls".formatted(i), "" + i);
        }
        return maker.bytes();
    }

    private static byte[] gzip(byte[] bytes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(bytes);
        }
        return out.toByteArray();
    }

    private static ShortStore two() {
        return new ShortStore()
                .with("t/a.tar", shard(0))
                .with("t/b.tar", shard(3))
                .with("t/deep/c.tar", shard(6));
    }

    private static Tensor bin(TarSamples samples, long index) {
        return Objects.requireNonNull(samples.get(index).block()).part("bin");
    }

    private Path indexFile() throws IOException {
        try (Stream<Path> files = Files.list(cache)) {
            return files.filter(file -> file.toString().endsWith(".tarindex"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void index_overAStoreThatIsNoFolder_readsSamplesInOneRangeEach() {
        ShortStore store = two();
        TarSamples samples = TarShards.open(store, "t/*.tar").index(cache);
        int asked = store.asked().size();

        Tensor bytes = bin(samples, 4);

        assertThat(samples.size()).isEqualTo(6);
        assertThat(bytes).isEqualTo(Tensor.ofBytes(new byte[] {4, 1, 2}));
        assertThat(store.asked().subList(asked, store.asked().size())).containsExactly("t/b.tar 2560 1025");
    }

    @Test
    void index_again_readsNothingOfTheArchives() {
        ShortStore store = two();
        TarSamples first = TarShards.open(store, "t/*.tar").index(cache);
        int asked = store.asked().size();

        TarSamples again = TarShards.open(store, "t/*.tar").index(cache);

        assertThat(store.asked()).hasSize(asked);
        assertThat(again.fingerprint()).isEqualTo(first.fingerprint());
        assertThat(again.id(4).key()).isEqualTo(first.id(4).key());
        assertThat(again.name(4)).isEqualTo("t/b.tar@2560:s/4");
    }

    @Test
    void index_changedArchive_isMadeAnewForThatOneAlone() {
        ShortStore store = two();
        SampleKey key = TarShards.open(store, "t/*.tar").index(cache).id(0).key();
        store.with("t/a.tar", Arrays.copyOf(shard(20), shard(20).length + 512));
        int asked = store.asked().size();

        TarSamples samples = TarShards.open(store, "t/*.tar").index(cache);

        assertThat(bin(samples, 0)).isEqualTo(Tensor.ofBytes(new byte[] {20, 1, 2}));
        assertThat(samples.id(0).key()).isNotEqualTo(key);
        assertThat(store.asked().subList(asked, store.asked().size())).allMatch(range -> range.startsWith("t/a.tar"));
    }

    @Test
    void index_damagedIndexFile_isMadeAnew() throws IOException {
        ShortStore store = new ShortStore().with("a.tar", shard(0));
        TarShards shards = TarShards.open(store, List.of("a.tar"));
        TarSamples first = shards.index(cache);
        byte[] kept = Files.readAllBytes(indexFile());
        for (int at = 0; at < kept.length; at++) {
            byte[] damaged = kept.clone();
            damaged[at] ^= 4;
            Files.write(indexFile(), damaged);
            int asked = store.asked().size();

            TarSamples again = shards.index(cache);

            assertThat(store.asked()).as("byte %d", at).hasSizeGreaterThan(asked);
            assertThat(again.name(2)).isEqualTo(first.name(2));
            assertThat(Files.readAllBytes(indexFile())).isEqualTo(kept);
        }
        Files.write(indexFile(), Arrays.copyOf(kept, 20));
        assertThat(shards.index(cache).size()).isEqualTo(3);
    }

    @Test
    void index_fileOfAnotherLengthThanItSays_takesNoMemory() throws IOException {
        TarShards shards = TarShards.open(new ShortStore().with("a.tar", shard(0)), List.of("a.tar"));
        shards.index(cache);
        try (RandomAccessFile file = new RandomAccessFile(indexFile().toFile(), "rw")) {
            file.setLength(3L << 30); // without its bytes on the disk
        }

        assertThat(TarShards.damaged(cache)).containsExactly(indexFile());
        assertThat(shards.index(cache).size()).isEqualTo(3);
        assertThat(TarShards.damaged(cache)).isEmpty();
    }

    @Test
    void index_leavesNothingButTheIndex() throws IOException {
        TarShards.open(two(), "t/*.tar").index(cache);

        try (Stream<Path> files = Files.list(cache)) {
            assertThat(files).hasSize(2).allMatch(file -> file.toString().endsWith(".tarindex"));
        }
    }

    @Test
    void index_compressed_hasTheSameSamples() throws IOException {
        ShortStore store = new ShortStore()
                .with("a.tar.gz", gzip(shard(0)))
                .with("b.tar.zst", Zstd.compress(shard(3)))
                .with("c.tgz", gzip(shard(6)));
        TarShards shards = TarShards.open(store, List.of("c.tgz", "a.tar.gz", "b.tar.zst"));

        for (TarSamples samples : List.of(shards.index(cache), shards.index(), shards.index(cache))) {
            for (int i = 0; i < 9; i++) {
                assertThat(bin(samples, i)).isEqualTo(Tensor.ofBytes(new byte[] {(byte) i, 1, 2}));
            }
        }
        assertThat(shards.index(cache).id(5).key())
                .isEqualTo(shards.index().id(5).key());
    }

    @Test
    void index_compressedBeyondTheLimit_isRefused() throws IOException {
        ShortStore store = new ShortStore().with("a.tar.gz", gzip(shard(0)));

        assertThatThrownBy(() ->
                        TarShards.open(store, "a.tar.gz").maxUnpackedBytes(1000).index(cache))
                .isInstanceOf(StoreException.class)
                .hasMessageStartingWith("cannot unpack a.tar.gz in short://store: it does not fit into the 1000 bytes");
    }

    @Test
    void index_bigMembers_areSkippedNotRead() {
        TarMaker maker = new TarMaker();
        for (int i = 0; i < 20; i++) {
            maker.file(i + ".bin", new byte[100_000]);
        }
        ShortStore store = new ShortStore().with("a.tar", maker.bytes());

        TarShards.open(store, "a.tar").index(cache);

        long read = store.asked().stream()
                .mapToLong(range -> Long.parseLong(range.substring(range.lastIndexOf(' ') + 1)))
                .sum();
        assertThat(read).isLessThanOrEqualTo(21 * 4096);
    }

    @Test
    void index_brokenArchivesAlone_areRefusedByName() {
        ShortStore store = new ShortStore().with("t/b.tar", Arrays.copyOf(shard(3), 700));

        assertThatThrownBy(() -> TarShards.open(store, "t/*.tar").index(cache))
                .isInstanceOf(FormatException.class)
                .hasMessage(BROKEN);
    }

    @Test
    void index_oneBrokenArchiveOfMany_isOneSampleThatFails() {
        TarShards shards = TarShards.open(two().with("t/b.tar", Arrays.copyOf(shard(3), 700)), "t/*.tar");
        for (int opened = 0; opened < 2; opened++) {
            TarSamples samples = shards.index(cache).parts("bin");

            assertThat(samples.size()).isEqualTo(4);
            assertThat(bin(samples, 2)).isEqualTo(Tensor.ofBytes(new byte[] {2, 1, 2}));
            assertThat(samples.name(3)).isEqualTo("t/b.tar@0:damaged");
            assertThatThrownBy(() -> samples.get(3).block())
                    .isInstanceOf(FormatException.class)
                    .hasMessage(BROKEN);
        }
        assertThatThrownBy(() -> shards.files().get(6).block()).hasMessage(BROKEN);
    }

    @Test
    void get_archiveThatChangedSince_fails() {
        ShortStore store = two();
        TarSamples samples = TarShards.open(store, "t/*.tar").index(cache);
        store.version(2);

        assertThatThrownBy(() -> samples.get(0).block())
                .isInstanceOf(StoreException.class)
                .hasMessage("t/a.tar changed since it was listed");
    }
}

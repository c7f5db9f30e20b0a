package io.penstock.store.unpack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import io.penstock.fault.DataException;
import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.store.ShortStore;
import io.penstock.store.StoreFile;
import io.penstock.store.internal.copy.BlockSums;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

public class UnpackerTest {

    private static final byte[] PLAIN = plain();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private static byte[] plain() {
        byte[] bytes = new byte[300_000];
        new Random(1).nextBytes(bytes);
        return bytes;
    }

    public static byte[] gzip(byte[] bytes) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(bytes);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return out.toByteArray();
    }

    private static byte[] joined(byte[] one, byte[] other) {
        byte[] both = Arrays.copyOf(one, one.length + other.length);
        System.arraycopy(other, 0, both, one.length, other.length);
        return both;
    }

    private static StoreFile unpack(Unpacker unpacker, ShortStore store, String key) {
        return unpacker.unpack(store, Objects.requireNonNull(store.entry(key).block()));
    }

    private static byte[] all(StoreFile file) throws IOException {
        return file.input().readAllBytes();
    }

    private List<String> copies() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.startsWith(BlockSums.PREFIX) && !name.startsWith("."))
                    .toList();
        }
    }

    @Test
    void unpack_eachKind_isWhatWasPacked() throws IOException {
        byte[] half = Arrays.copyOf(PLAIN, 150_000);
        byte[] rest = Arrays.copyOfRange(PLAIN, 150_000, PLAIN.length);
        ShortStore store = new ShortStore()
                .with("a.gz", gzip(PLAIN))
                .with("b.TGZ", joined(gzip(half), gzip(rest)))
                .with("b.zlib", joined(zlib(half), zlib(rest)))
                .with("c.tar.zst", Zstd.compress(PLAIN))
                .with("d.zst", joined(Zstd.compress(half), Zstd.compress(rest)));

        for (String key : List.of("a.gz", "b.TGZ", "b.zlib", "c.tar.zst", "d.zst")) {
            assertThat(all(unpack(Unpacker.inMemory(), store, key))).as(key).isEqualTo(PLAIN);
            assertThat(all(unpack(Unpacker.into(folder), store, key))).as(key).isEqualTo(PLAIN);
        }
    }

    @Test
    void unpack_gzipMemberThatBeginsWithAWindow_isReadToo() throws IOException {
        int length = 4000;
        while (gzip(Arrays.copyOf(PLAIN, length)).length < 4096) {
            length++;
        }
        byte[] first = gzip(Arrays.copyOf(PLAIN, length));
        byte[] rest = Arrays.copyOfRange(PLAIN, length, PLAIN.length);
        ShortStore store = new ShortStore().with("a.gz", joined(first, gzip(rest)));

        StoreFile file = unpack(Unpacker.inMemory(), store, "a.gz");

        assertThat(first).hasSize(4096);
        assertThat(all(file)).isEqualTo(PLAIN);
    }

    @Test
    void unpack_plainFile_isTheFileItself() {
        ShortStore store = new ShortStore().with("a.tar", PLAIN);

        StoreFile file = unpack(Unpacker.into(folder), store, "a.tar");

        assertThat(file.store()).isSameAs(store);
        assertThat(store.asked()).isEmpty();
    }

    @Test
    void unpack_again_readsTheCopyAlone() throws IOException {
        ShortStore store = new ShortStore().with("a.gz", gzip(PLAIN));
        unpack(Unpacker.into(folder), store, "a.gz");
        int asked = store.asked().size();

        StoreFile again = unpack(Unpacker.into(folder), store, "a.gz");

        assertThat(store.asked()).hasSize(asked);
        assertThat(all(again)).isEqualTo(PLAIN);
    }

    @Test
    void unpack_changedSource_replacesTheCopy() throws IOException {
        ShortStore store = new ShortStore().with("a.gz", gzip(PLAIN));
        unpack(Unpacker.into(folder), store, "a.gz");
        store.version(2);
        store.with("a.gz", gzip(new byte[10]));

        StoreFile changed = unpack(Unpacker.into(folder), store, "a.gz");

        assertThat(all(changed)).isEqualTo(new byte[10]);
        assertThat(copies()).hasSize(1);
    }

    @Test
    void unpack_shortenedCopy_isMadeAnew() throws IOException {
        ShortStore store = new ShortStore().with("a.gz", gzip(PLAIN));
        unpack(Unpacker.into(folder), store, "a.gz");
        Path copy = folder.resolve(copies().get(0));
        Files.write(copy, Arrays.copyOf(PLAIN, 100));

        StoreFile again = unpack(Unpacker.into(folder), store, "a.gz");

        assertThat(all(again)).isEqualTo(PLAIN);
    }

    @Test
    void unpack_moreThanAllowed_isRefusedAndLeavesNothing() throws IOException {
        ShortStore store =
                new ShortStore().with("bomb.gz", gzip(new byte[50_000_000])).with("a.gz", gzip(PLAIN));
        Unpacker small = Unpacker.into(folder).maxBytes(400_000);
        unpack(small, store, "a.gz");

        assertThatThrownBy(() -> unpack(small, store, "bomb.gz"))
                .isInstanceOf(StoreException.class)
                .hasMessage(
                        "cannot unpack bomb.gz in short://store: it does not fit into the 400000 bytes allowed for all"
                                + " copies; raise the limit");
        assertThatThrownBy(() -> unpack(Unpacker.inMemory().maxBytes(1000), store, "bomb.gz"))
                .isInstanceOf(StoreException.class)
                .hasMessageEndingWith("raise the limit, or -Xmx, or name a folder for them");
        assertThat(copies()).hasSize(1);
    }

    @Test
    void unpack_severalIntoMemory_shareTheLimit() {
        ShortStore store = new ShortStore().with("a.gz", gzip(PLAIN)).with("b.gz", gzip(PLAIN));
        Unpacker unpacker = Unpacker.inMemory().maxBytes(PLAIN.length + 10);

        unpack(unpacker, store, "a.gz");

        assertThatThrownBy(() -> unpack(unpacker, store, "b.gz")).isInstanceOf(StoreException.class);
    }

    @Test
    void unpack_abandonedPartialFiles_areRemovedFreshOnesCounted() throws IOException {
        ShortStore store = new ShortStore().with("a.gz", gzip(PLAIN));
        Path old = Files.write(folder.resolve("partial-1.tmp"), new byte[1_000_000]);
        Files.setLastModifiedTime(old, FileTime.fromMillis(0));
        Unpacker unpacker = Unpacker.into(folder).maxBytes(400_000);

        unpack(unpacker, store, "a.gz");

        assertThat(copies()).hasSize(1);
        store.version(2);
        Files.write(folder.resolve("partial-2.tmp"), new byte[200_000]);
        assertThatThrownBy(() -> unpack(unpacker, store, "a.gz")).isInstanceOf(StoreException.class);
    }

    @Test
    void unpack_brokenFile_saysWhichAndLeavesNothing() throws IOException {
        byte[] packed = gzip(PLAIN);
        ShortStore store = new ShortStore()
                .with("cut.gz", Arrays.copyOf(packed, packed.length / 2))
                .with("cut.zst", Arrays.copyOf(Zstd.compress(PLAIN), 1000))
                .with("plain.gz", PLAIN)
                .with("empty.gz", new byte[0]);

        assertThatThrownBy(() -> unpack(Unpacker.into(folder), store, "cut.gz"))
                .isInstanceOf(FormatException.class)
                .hasMessageStartingWith("cut.gz in short://store cannot be unpacked as GZIP: it ends too early after ");
        for (String key : List.of("cut.zst", "plain.gz", "empty.gz")) {
            assertThatThrownBy(() -> unpack(Unpacker.into(folder), store, key))
                    .isInstanceOf(FormatException.class)
                    .hasMessageContaining(key);
        }
        assertThat(copies()).isEmpty();
    }

    @Test
    void unpack_whatFollowsTheLastMember_isRefusedNamingFileAndByte() {
        byte[] gzip = gzip(PLAIN);
        byte[] zlib = zlib(PLAIN);
        byte[] zstd = Zstd.compress(PLAIN);
        for (int length : new int[] {1, 2, 3, 4, 5, 100}) {
            byte[] garbage = new byte[length];
            Arrays.fill(garbage, (byte) 'x');
            ShortStore store = new ShortStore()
                    .with("a.gz", joined(gzip, garbage))
                    .with("a.zz", joined(zlib, garbage))
                    .with("a.zst", joined(zstd, garbage));

            assertThatThrownBy(() -> unpack(Unpacker.inMemory(), store, "a.gz"))
                    .as("%d bytes", length)
                    .isInstanceOf(FormatException.class)
                    .hasMessage(
                            "a.gz in short://store cannot be unpacked as GZIP: what follows its end at byte %d is no more of"
                                    + " it after 300000 bytes",
                            gzip.length);
            assertThatThrownBy(() -> unpack(Unpacker.inMemory(), store, "a.zz"))
                    .isInstanceOf(FormatException.class)
                    .hasMessageContaining("a.zz in short://store")
                    .hasMessageContaining("at byte %d", zlib.length);
            assertThatThrownBy(() -> unpack(Unpacker.inMemory(), store, "a.zst"))
                    .isInstanceOf(FormatException.class)
                    .hasMessageContaining("a.zst in short://store")
                    .hasMessageEndingWith("after 300000 bytes");
        }
    }

    @Test
    void unpack_gzipPaddedWithZeros_isUnpacked() throws IOException {
        ShortStore store = new ShortStore().with("a.gz", joined(gzip(PLAIN), new byte[1000]));

        assertThat(all(unpack(Unpacker.inMemory(), store, "a.gz"))).isEqualTo(PLAIN);
    }

    private static byte[] zlib(byte[] bytes) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (DeflaterOutputStream zlib = new DeflaterOutputStream(out)) {
            zlib.write(bytes);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return out.toByteArray();
    }

    @Test
    void unpack_bySeveralAtOnce_isDoneOnce() throws Exception {
        ShortStore store = new ShortStore().with("a.gz", gzip(PLAIN));
        unpack(Unpacker.inMemory(), store, "a.gz");
        int once = store.asked().size();

        List<StoreFile> files = Flux.range(0, 8)
                .flatMap(i -> Mono.fromCallable(() -> unpack(Unpacker.into(folder), store, "a.gz"))
                        .subscribeOn(Schedulers.boundedElastic()))
                .collectList()
                .block();

        assertThat(store.asked()).hasSize(2 * once);
        for (StoreFile file : files) {
            assertThat(all(file)).isEqualTo(PLAIN);
        }
    }

    @Property(tries = 200)
    void unpack_anyBytes_areRefusedOrUnpacked(@ForAll @Size(max = 200) byte[] bytes) {
        ShortStore store = new ShortStore()
                .with("a.gz", joined(new byte[] {0x1F, (byte) 0x8B, 8}, bytes))
                .with("a.zst", joined(new byte[] {0x28, (byte) 0xB5, 0x2F, (byte) 0xFD}, bytes));

        for (String key : List.of("a.gz", "a.zst")) {
            try {
                assertThat(unpack(Unpacker.inMemory().maxBytes(1 << 20), store, key)
                                .size())
                        .isLessThanOrEqualTo(1 << 20);
            } catch (DataException e) {
                assertThat(e).hasMessageContaining(key);
            }
        }
    }

    private Path flip(long at) throws IOException {
        Path copy = folder.resolve(copies().get(0));
        byte[] bytes = Files.readAllBytes(copy);
        bytes[(int) at] ^= 1;
        Files.write(copy, bytes);
        return copy;
    }

    @Test
    void unpack_copyWithAFlippedBit_isMadeAnew() throws IOException {
        ShortStore store = new ShortStore().with("a.gz", gzip(PLAIN));
        unpack(Unpacker.into(folder), store, "a.gz");
        Path copy = flip(200_000);
        assertThat(Unpacker.damaged(folder)).containsExactly(copy);

        StoreFile again = unpack(Unpacker.into(folder), store, "a.gz");

        assertThat(again.read(10, 100).block()).isEqualTo(ByteBuffer.wrap(PLAIN, 10, 100));
        assertThat(Unpacker.damaged(folder)).as("its block was not read yet").hasSize(1);
        assertThat(again.read(150_000, 100_000).block()).isEqualTo(ByteBuffer.wrap(PLAIN, 150_000, 100_000));
        assertThat(all(again)).isEqualTo(PLAIN);
        assertThat(Unpacker.damaged(folder)).isEmpty();
    }

    @Test
    void unpack_copyDamagedWhileItIsOpen_isMadeAnew() throws IOException {
        ShortStore store = new ShortStore().with("a.gz", gzip(PLAIN));
        StoreFile file = unpack(Unpacker.into(folder), store, "a.gz");
        assertThat(file.read(0, 10).block()).isEqualTo(ByteBuffer.wrap(PLAIN, 0, 10));

        flip(5);

        assertThat(all(file)).isEqualTo(PLAIN);
        assertThat(Unpacker.damaged(folder)).isEmpty();
    }

    @Test
    void unpack_copyWithoutChecksumsOrWithWrongOnes_isMadeAnew() throws IOException {
        ShortStore store = new ShortStore().with("a.gz", gzip(PLAIN));
        unpack(Unpacker.into(folder), store, "a.gz");
        Path copy = flip(7);
        Path sums = BlockSums.beside(copy);
        byte[] kept = Files.readAllBytes(sums);
        for (int at : new int[] {-1, 0, 9, 17, 24, kept.length - 1}) {
            flip(7);
            if (at < 0) {
                Files.delete(sums);
            } else {
                kept[at] ^= 1;
                Files.write(sums, kept);
            }

            assertThat(Unpacker.damaged(folder)).hasSize(1);
            assertThat(all(unpack(Unpacker.into(folder), store, "a.gz"))).isEqualTo(PLAIN);
            assertThat(Unpacker.damaged(folder)).isEmpty();
            kept = Files.readAllBytes(sums);
        }
    }
}

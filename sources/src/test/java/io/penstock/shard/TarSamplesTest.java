package io.penstock.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.pipeline.Dataset;
import io.penstock.store.FileStore;
import io.penstock.tensor.Tensor;
import io.penstock.testkit.DatasetKit;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TarSamplesTest extends DatasetKit<TarSample> {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path cache;

    @BeforeEach
    void write() throws IOException {
        write("a-1.tar", new TarMaker().file("t/2.jpg", "two").file("t/2.cls", "2"));
        write(
                "a-0.tar",
                new TarMaker()
                        .file("t/0.jpg", "zero")
                        .file("t/0.CLS", "0")
                        .file("t/1.jpg", "")
                        .file("t/1.cls", "1"));
        write("b.tar", new TarMaker().file("x.jpg", "other"));
    }

    private void write(String name, TarMaker maker) throws IOException {
        Files.write(folder.resolve(name), maker.bytes());
    }

    private static Tensor bytes(String text) {
        return Tensor.ofBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    private static TarSample sample(TarSamples samples, long index) {
        return Objects.requireNonNull(samples.get(index).block());
    }

    private TarSamples only(TarMaker maker) throws IOException {
        write("only.tar", maker);
        return TarShards.open(folder.resolve("only.tar")).index(cache);
    }

    @Override
    protected Dataset<TarSample> open() {
        return TarShards.open(folder.resolve("a-*.tar")).index(cache);
    }

    @Override
    protected TarSample expected(long index) {
        return new TarSample(
                "t/" + index,
                Map.of("jpg", bytes(List.of("zero", "", "two").get((int) index)), "cls", bytes("" + index)));
    }

    @Override
    protected void change(long index) throws IOException {
        Path file = folder.resolve("a-0.tar");
        Files.setLastModifiedTime(
                file, FileTime.fromMillis(Files.getLastModifiedTime(file).toMillis() + 1));
    }

    @Override
    protected boolean share(long one, long other) {
        return (one < 2) == (other < 2);
    }

    @Nested
    class Parts extends DatasetKit<TarSample> {
        @Override
        protected Dataset<TarSample> open() {
            return TarShards.open(folder.resolve("a-*.tar")).index().parts("cls");
        }

        @Override
        protected TarSample expected(long index) {
            return new TarSample("t/" + index, Map.of("cls", bytes("" + index)));
        }

        @Override
        protected void change(long index) throws IOException {
            TarSamplesTest.this.change(index);
        }

        @Override
        protected boolean share(long one, long other) {
            return TarSamplesTest.this.share(one, other);
        }
    }

    @Nested
    class FilesOfShards extends DatasetKit<TarFile> {
        @Override
        protected Dataset<TarFile> open() {
            return TarShards.open(folder.resolve("a-*.tar")).files(cache);
        }

        @Override
        protected TarFile expected(long index) {
            String name = List.of("t/0.jpg", "t/0.CLS", "t/1.jpg", "t/1.cls", "t/2.jpg", "t/2.cls")
                    .get((int) index);
            String text = List.of("zero", "0", "", "1", "two", "2").get((int) index);
            return new TarFile(name, bytes(text));
        }

        @Override
        protected void change(long index) throws IOException {
            TarSamplesTest.this.change(index);
        }

        @Override
        protected boolean share(long one, long other) {
            return (one < 4) == (other < 4);
        }
    }

    @Test
    void name_ofSample_saysArchivePlaceAndKey() {
        Dataset<TarSample> samples = open();

        String name = samples.name(1);

        assertThat(name).isEqualTo("a-0.tar@2560:t/1");
    }

    @Test
    void parts_someOfThem_areReadAloneAndInThatOrder() {
        TarSamples samples = TarShards.open(FileStore.open(folder), "a-*.tar").index(cache);

        TarSample sample = sample(samples.parts("cls", "png;jpg"), 2);

        assertThat(sample.parts().keySet()).containsExactly("cls", "png");
        assertThat(sample.part("png")).isEqualTo(bytes("two"));
        assertThat(samples.parts("cls").id(0).key()).isNotEqualTo(samples.id(0).key());
        assertThat(samples.parts("cls").fingerprint()).isNotEqualTo(samples.fingerprint());
        assertThatThrownBy(() -> sample.part("jpg"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("sample t/2 has no part \"jpg\": it has [cls, png]");
    }

    @Test
    void parts_oneThatASampleLacks_isRefusedByName() {
        TarSamples samples = TarShards.open(folder).index(cache);

        assertThatThrownBy(() -> samples.parts("jpg", "cls"))
                .isInstanceOf(FormatException.class)
                .hasMessage("sample b.tar@512:x has no part \"cls\": it has [jpg]");
        assertThatThrownBy(samples::parts).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void samples_membersOutOfOrder_areWhole() throws IOException {
        TarSamples samples = only(new TarMaker()
                .file("a.jpg", "A")
                .file("b.jpg", "B")
                .file("big.bin", new byte[200_000])
                .file("b.cls", "1")
                .file("a.cls", "0"));

        TarSample first = sample(samples, 0);

        assertThat(samples.size()).isEqualTo(3);
        assertThat(first.part("jpg")).isEqualTo(bytes("A"));
        assertThat(first.part("cls")).isEqualTo(bytes("0"));
    }

    @Test
    void samples_sameKeyAndExtensionTwice_areTwo() throws IOException {
        TarSamples samples = only(new TarMaker()
                .file("a.jpg", "A")
                .file("a.cls", "0")
                .file("a.jpg", "B")
                .file("a.cls", "1"));

        TarSample second = sample(samples, 1);

        assertThat(samples.size()).isEqualTo(2);
        assertThat(second.part("jpg")).isEqualTo(bytes("B"));
        assertThat(second.part("cls")).isEqualTo(bytes("1"));
        assertThat(samples.id(0).key()).isNotEqualTo(samples.id(1).key());
    }

    @Test
    void samples_namesThatBelongToNone_areLeftOut() throws IOException {
        TarMaker maker = new TarMaker()
                .file("README", "x")
                .file(".hidden.txt", "x")
                .file("__meta__/shard.json", "x")
                .file("d.1/noext", "x")
                .member('5', "dir.x/", "")
                .member('2', "link.jpg", "")
                .member('3', "device.jpg", "")
                .file("../../etc/passwd.txt", "x")
                .file("/abs/a.b.c", "y");

        TarSamples samples = only(maker);

        assertThat(samples.size()).isEqualTo(2);
        assertThat(sample(samples, 0)).isEqualTo(new TarSample("../../etc/passwd", Map.of("txt", bytes("x"))));
        assertThat(sample(samples, 1)).isEqualTo(new TarSample("/abs/a", Map.of("b.c", bytes("y"))));
        assertThat(TarShards.open(folder.resolve("only.tar")).files().size()).isEqualTo(6);
    }

    @Test
    void index_archiveWithoutSamples_isRefused() {
        assertThatThrownBy(() -> only(new TarMaker().file("README", "x")))
                .isInstanceOf(StoreException.class)
                .hasMessage("no samples in %s: the 1 files in the tar archive have no extension; take them as files"
                        .formatted(folder.resolve("only.tar")));
        assertThatThrownBy(() -> TarShards.open(folder.resolve("none-*.tar"))).isInstanceOf(StoreException.class);
    }

    @Test
    void index_cutOff_saysWhere() throws IOException {
        byte[] whole = new TarMaker()
                .file("a.jpg", "A")
                .file("a.cls", "0")
                .file("b.jpg", "B")
                .file("b.cls", new byte[600])
                .bytes();
        Files.write(folder.resolve("cut.tar"), java.util.Arrays.copyOf(whole, 512 * 7 + 100));
        TarShards shards = TarShards.open(folder.resolve("cut.tar"));

        assertThatThrownBy(() -> shards.index(cache))
                .isInstanceOf(FormatException.class)
                .hasMessage(("cut.tar in %s is cut off: b.cls has 600 bytes from byte 3584 on, the archive ends at 3684"
                                + " (header at byte 3072); fetch it again")
                        .formatted(folder));
    }

    @Test
    void get_largerThanAllowed_failsWhenLoaded() throws IOException {
        write("only.tar", new TarMaker().file("a.bin", new byte[600]).file("b.bin", "x"));

        TarSamples samples =
                TarShards.open(folder.resolve("only.tar")).maxSampleBytes(599).index();

        assertThatThrownBy(() -> samples.get(0).block())
                .isInstanceOf(StoreException.class)
                .hasMessage("a.bin in only.tar is too large: at most 599 bytes, has more with what belongs to it; raise"
                        + " maxSampleBytes");
        assertThat(sample(samples, 1).part("bin")).isEqualTo(bytes("x"));
    }
}

package io.penstock.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.kit.CountingStore;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.store.ShortStore;
import io.penstock.store.unpack.Unpacker;
import io.penstock.stream.Sample;
import io.penstock.tensor.Tensor;
import io.penstock.testkit.DatasetKit;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.LongStream;
import java.util.zip.GZIPOutputStream;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TextLinesTest extends DatasetKit<String> {

    private static final Path DATA = Path.of(System.getProperty("penstock.data", "missing"));

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @BeforeEach
    void write() throws IOException {
        write("b.txt", "\uFEFFdrei\r\n\r\nfünf");
        write("a.txt", "one\ntwo\n");
        write("empty.txt", "");
    }

    private void write(String name, String text) throws IOException {
        Files.writeString(folder.resolve(name), text);
    }

    @Override
    protected Dataset<String> open() {
        return TextLines.open(folder);
    }

    @Override
    protected String expected(long index) {
        return List.of("one", "two", "drei", "", "fünf").get((int) index);
    }

    @Override
    protected void change(long index) throws IOException {
        Path file = folder.resolve("a.txt");
        Files.setLastModifiedTime(
                file, FileTime.fromMillis(Files.getLastModifiedTime(file).toMillis() + 1));
    }

    @Override
    protected boolean share(long one, long other) {
        return (one < 2) == (other < 2);
    }

    private static <T> List<T> all(Dataset<T> lines) {
        List<T> all = new ArrayList<>();
        for (long index = 0; index < lines.size(); index++) {
            all.add(Objects.requireNonNull(lines.get(index).block()));
        }
        return all;
    }

    private static TextLines lines(byte[] bytes) {
        return TextLines.open(new ShortStore().with("a", bytes), "a");
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void name_ofLine_isItsFileAndNumber() {
        Dataset<String> lines = open();

        String name = lines.name(4);

        assertThat(name).isEqualTo("b.txt:line 3");
    }

    @Test
    void openJson_blankLines_areLeftOutAndCounted() {
        ShortStore store = new ShortStore().with("d/a.jsonl", utf8("\n \r\n{\"a\":1}\n\n\t\n\n{\"a\":2}\r\n\n[3]\n  "));

        TextLines lines = TextLines.openJson(store, "d/*.jsonl");

        assertThat(all(lines)).containsExactly("{\"a\":1}", "{\"a\":2}", "[3]");
        assertThat(List.of(lines.name(0), lines.name(1), lines.name(2)))
                .containsExactly("d/a.jsonl:line 3", "d/a.jsonl:line 7", "d/a.jsonl:line 9");
    }

    @Test
    void open_compressed_isDecompressedInMemoryOrWhereTold() throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(utf8("x\ny"));
        }
        ShortStore store = new ShortStore().with("a.jsonl.gz", packed.toByteArray());

        assertThat(all(TextLines.open(store, "a.jsonl.gz"))).containsExactly("x", "y");
        assertThat(all(TextLines.openJson(store, "a.jsonl.gz", Unpacker.into(folder))))
                .containsExactly("x", "y");
    }

    @Test
    void stream_inOrder_readsNeighboursTogether() {
        CountingStore store = new CountingStore();
        List<String> expected =
                LongStream.range(0, 1000).mapToObj(Long::toString).toList();
        store.put("a", String.join("\r\n", expected));
        TextLines lines = TextLines.open(store, "a");
        store.asked();

        List<String> streamed = lines.stream(Sampler.sequential())
                .map(Sample::value)
                .collectList()
                .block();

        assertThat(streamed).isEqualTo(expected);
        assertThat(store.asked().size()).isLessThan(20);
    }

    @Test
    void get_lineThatIsNotUtf8_failsAloneAndSaysWhere() {
        byte[] bytes = utf8("good\nbad ?!\ngood");
        bytes[9] = (byte) 0xE9;
        TextLines lines = lines(bytes);

        assertThat(lines.get(0).block()).isEqualTo("good");
        assertThat(lines.get(2).block()).isEqualTo("good");
        assertThat(Objects.requireNonNull(lines.bytes().get(1).block()).longAt(4))
                .isEqualTo(0xE9);
        assertThatThrownBy(() -> lines.get(1).block())
                .isInstanceOf(FormatException.class)
                .hasMessage(
                        "a:line 2 is not UTF-8: byte E9 at byte 4 of the line, 9 of the file; take it as bytes, or convert it");
    }

    @Test
    void get_lineLongerThanAllowed_fails() {
        TextLines lines = lines(utf8("12345\r\n123456\r\n1234567")).maxLineBytes(6);

        assertThat(lines.get(0).block()).isEqualTo("12345");
        assertThat(lines.get(1).block()).isEqualTo("123456");
        assertThatThrownBy(() -> lines.get(2).block())
                .isInstanceOf(FormatException.class)
                .hasMessage("a:line 3 is too long: at most 6 bytes, has more; raise maxLineBytes");
    }

    @Test
    void open_compressedFileWithAnotherName_isRefusedAndSaysWhatToDo() throws IOException {
        ByteArrayOutputStream gzip = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(gzip)) {
            out.write("a line\n".getBytes(StandardCharsets.UTF_8));
        }
        Map<String, byte[]> files = Map.of(
                "gzip, which its name does not say: give it a name that ends in .gz", gzip.toByteArray(),
                "zstd, which its name does not say: give it a name that ends in .zst",
                        bytes(0x28, 0xB5, 0x2F, 0xFD, 0x24),
                "bzip2, which its name does not say: decompress it by bzip2 -d",
                        bytes('B', 'Z', 'h', '9', '1', 'A', 'Y', '&', 'S', 'Y'),
                "xz, which its name does not say: decompress it by xz -d", bytes(0xFD, '7', 'z', 'X', 'Z', 0, 0),
                "lz4, which its name does not say: decompress it by lz4 -d", bytes(0x04, 0x22, 0x4D, 0x18, 0x60));

        files.forEach((said, bytes) -> assertThatThrownBy(() -> lines(bytes))
                .isInstanceOf(FormatException.class)
                .hasMessageStartingWith("short://store/a is compressed in " + said));
        assertThat(lines("BZh is a text\n".getBytes(StandardCharsets.UTF_8)).size())
                .isOne();
    }

    private static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }

    @Test
    void open_utf16_isRefusedAndSaysHowToConvertIt() {
        for (byte[] mark : new byte[][] {{-1, -2, 'a', 0, '\n', 0}, {-2, -1, 0, 'a', 0, '\n'}}) {
            assertThatThrownBy(() -> lines(mark))
                    .isInstanceOf(FormatException.class)
                    .hasMessageStartingWith("short://store/a is UTF-16, not UTF-8: it starts with F")
                    .hasMessageEndingWith("; convert it, as iconv -f UTF-16 -t UTF-8 does");
        }
    }

    @Test
    void open_withoutLines_isRefused() {
        assertThatThrownBy(() -> lines(new byte[0]))
                .isInstanceOf(StoreException.class)
                .hasMessage("no lines in short://store/a: empty");
        assertThatThrownBy(() -> TextLines.open(new ShortStore(), "a"))
                .isInstanceOf(StoreException.class)
                .hasMessage("cannot read a in short://store: no such file");
    }

    @Property(tries = 300)
    void lines_ofAnyBytes_areWhatLiesBetweenLineFeeds(@ForAll @Size(min = 1, max = 60) List<Byte> values) {
        byte[] bytes = new byte[values.size()];
        for (int i = 0; i < bytes.length; i++) {
            byte b = values.get(i);
            bytes[i] = b > 90 ? (byte) '\n' : b > 60 ? (byte) '\r' : b; // what matters, often
        }
        Assume.that(bytes.length < 2 || bytes[0] != 0x1F || bytes[1] != (byte) 0x8B); // gzip
        Assume.that(bytes[0] < -2 || bytes[0] > -1); // else it may begin as UTF-16 does, which is refused
        List<Tensor> wanted = new ArrayList<>();
        int start = 0;
        for (int i = 0; i <= bytes.length; i++) {
            if (i == bytes.length ? start < i : bytes[i] == '\n') {
                int end = i < bytes.length && i > start && bytes[i - 1] == '\r' ? i - 1 : i;
                wanted.add(Tensor.ofBytes(java.util.Arrays.copyOfRange(bytes, start, end)));
                start = i + 1;
            }
        }

        assertThat(all(lines(bytes).bytes())).isEqualTo(wanted);
    }

    @Test
    void shared_texts_haveTheExpectedLinesAndCharacters() throws IOException {
        Path expected = DATA.resolve("expected/text.jsonl");
        Assumptions.assumeTrue(Files.exists(expected), "needs the shared data: " + expected);
        for (String line : Files.readAllLines(expected)) {
            String path = line.replaceAll("^\\{\"path\": \"([^\"]*)\".*", "$1");
            long newlines = number(line, "newlines");
            byte[] bytes = Files.readAllBytes(DATA.resolve(path));
            long unended = bytes[bytes.length - 1] == '\n' ? 0 : 1;

            TextLines lines = TextLines.open(DATA.resolve(path));

            assertThat(lines.size()).as(path).isEqualTo(newlines + unended);
            if (line.contains("\"utf8\": true")) {
                long characters = lines.stream(Sampler.sequential())
                        .map(Sample::value)
                        .toStream()
                        .mapToLong(text -> text.codePointCount(0, text.length()))
                        .sum();
                long mark = line.contains("\"bom\": true") ? 1 : 0;
                assertThat(characters + newlines + number(line, "crlf") + mark)
                        .as(path)
                        .isEqualTo(number(line, "chars"));
            } else {
                assertThatThrownBy(() -> all(lines))
                        .isInstanceOf(FormatException.class)
                        .hasMessageContaining(" is not UTF-8");
            }
        }
    }

    @Test
    void shared_jsonLines_haveTheExpectedRecords() throws IOException {
        Path expected = DATA.resolve("expected/tables.jsonl");
        Assumptions.assumeTrue(Files.exists(expected), "needs the shared data: " + expected);
        for (String line : Files.readAllLines(expected)) {
            String path = line.replaceAll("^\\{\"path\": \"([^\"]*)\".*", "$1");
            if (path.startsWith("jsonl/")) {
                TextLines lines = TextLines.openJson(DATA.resolve(path));

                assertThat(lines.size()).as(path).isEqualTo(number(line, "records"));
                assertThat(all(lines)).allMatch(json -> json.startsWith("{") && json.endsWith("}"));
            }
        }
    }

    private static long number(String line, String key) {
        return Long.parseLong(line.replaceAll(".*\"" + key + "\": (\\d+).*", "$1"));
    }
}

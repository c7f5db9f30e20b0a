package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.batch.Batch;
import io.penstock.cache.Cache;
import io.penstock.cache.ram.RamTier;
import io.penstock.pictures.PictureFolder;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import io.penstock.write.Npy;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;

/** The programs of docs/moving.md: ours, and those of others where they are installed. */
class MovingTest {

    private static final int ROWS = 100;
    private static final int EPOCHS = 3;
    private static final Path PAGE = Path.of(System.getProperty("penstock.root"), "docs", "moving.md");
    private static final Pattern PYTHON = Pattern.compile("```python\n(.*?)```", Pattern.DOTALL);

    /** Prints the number of rows and the sum of their bytes; a batch of WebDataset is a pair. */
    private static final String DRIVER = """


            import sys
            import numpy
            if __name__ == "__main__":
                rows = total = 0
                for batch in batches(sys.argv[1]):
                    first = batch[0] if isinstance(batch, (tuple, list)) else batch
                    if isinstance(first, (tuple, list)):
                        first = [numpy.frombuffer(each, "u1") for each in first]
                    rows += len(first)
                    total += int(sum(int(numpy.asarray(row).sum()) for row in first))
                print(rows, total)
            """;

    /** What the page's program of tf.data leaves to its reader. */
    private static final String TENSORFLOW_STEPS = """

            def decode(name):
                return tf.image.resize(tf.io.decode_jpeg(tf.io.read_file(name), channels=3), (224, 224), antialias=True)

            def flip(pixels):
                return tf.image.random_flip_left_right(pixels)
            """;

    @TempDir
    private static Path folder;

    private static Given page;
    private static Path npy;
    private static Path tar;
    private static long sum;

    @BeforeAll
    static void make() throws Exception {
        page = (Given) new Snippets(folder).instance(Document.read(PAGE).snippets());
        page.schema = Schema.of(Given.Photo.class);
        byte[] rows = new byte[ROWS * 8];
        new Random(1).nextBytes(rows);
        for (byte each : rows) {
            sum += each & 0xFF;
        }
        npy = Files.write(
                folder.resolve("rows.npy"),
                Npy.encode(Tensor.ofBytes(rows, ROWS, 8)).toByteArray());
        tar = folder.resolve("rows.tar");
        writeTar(rows);
    }

    private static void writeTar(byte[] rows) throws IOException {
        try (OutputStream file = Files.newOutputStream(tar);
                TarArchiveOutputStream out = new TarArchiveOutputStream(file)) {
            for (int row = 0; row < ROWS; row++) {
                add(out, "%03d.bin".formatted(row), Arrays.copyOfRange(rows, 8 * row, 8 * row + 8));
                add(out, "%03d.cls".formatted(row), "7".getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    private static void add(TarArchiveOutputStream out, String name, byte[] bytes) throws IOException {
        TarArchiveEntry entry = new TarArchiveEntry(name);
        entry.setSize(bytes.length);
        out.putArchiveEntry(entry);
        out.write(bytes);
        out.closeArchiveEntry();
    }

    @SuppressWarnings("unchecked") // the methods of the page return batches
    private static Flux<Batch> ours(String method, Object... arguments) throws Exception {
        Method found = Stream.of(page.getClass().getDeclaredMethods())
                .filter(each -> each.getName().equals(method))
                .findFirst()
                .orElseThrow();
        found.setAccessible(true);
        return (Flux<Batch>) found.invoke(page, arguments);
    }

    /** The number of rows of a field, and the sum of their bytes. */
    private static List<Long> tally(Flux<Batch> batches, String field) {
        long[] tally = new long[2];
        batches.doOnNext(batch -> {
                    try (batch) {
                        tally[0] += batch.size();
                        for (byte each : batch.tensor(field).toByteArray()) {
                            tally[1] += each & 0xFF;
                        }
                    }
                })
                .blockLast();
        return List.of(tally[0], tally[1]);
    }

    @Test
    void ours_ofEachSection_deliversAllRowsInEachEpoch() throws Exception {
        List<Long> all = List.of((long) EPOCHS * ROWS, EPOCHS * sum);

        assertThat(tally(ours("fromPyTorch", npy), "row")).isEqualTo(all);
        assertThat(tally(ours("fromGrain", npy), "row")).isEqualTo(all);
        assertThat(tally(ours("fromWebDataset", tar, folder.resolve("index")), "bin"))
                .isEqualTo(all);
    }

    @Test
    void oursOfTfData_onPictures_deliversAllInEachEpoch() throws Exception {
        Path pictures = folder.resolve("pictures");
        PictureFolder.write(pictures, 10).blockLast();

        try (Cache cache = Cache.of(RamTier.ofBytes(16 << 20))) {
            List<Long> tally = tally(ours("fromTfData", pictures, cache), "pixels");

            assertThat(tally.get(0)).isEqualTo(30);
            assertThat(cache.statistics().samples()).isEqualTo(10);
        }
    }

    @ParameterizedTest
    @CsvSource({"torch", "grain", "webdataset"})
    void theirs_whereItIsInstalled_deliversTheSame(String module) throws Exception {
        List<Long> tally = theirs(module, "", module.equals("webdataset") ? tar : npy);

        assertThat(tally).containsExactly((long) EPOCHS * ROWS, EPOCHS * sum);
    }

    /** Decoders and resizing differ a little. */
    @Test
    void theirsOfTfData_whereItIsInstalled_deliversAsManyPicturesAlike() throws Exception {
        Path pictures = folder.resolve("pictures-of-both");
        PictureFolder.write(pictures, 10).blockLast();

        List<Long> theirs = theirs("tensorflow", TENSORFLOW_STEPS, pictures);

        try (Cache cache = Cache.of(RamTier.ofBytes(16 << 20))) {
            List<Long> ours = tally(ours("fromTfData", pictures, cache), "pixels");
            assertThat(theirs.get(0)).isEqualTo(ours.get(0));
            assertThat((double) theirs.get(1)).isCloseTo(ours.get(1), withinPercentage(1));
        }
    }

    /** The tally of the page's program in Python, run on a file or folder. */
    private static List<Long> theirs(String module, String steps, Path data) throws Exception {
        String python = interpreter(module);
        assumeTrue(!python.isEmpty(), "no python3 of this machine has numpy and " + module);
        String program = PYTHON.matcher(Document.read(PAGE).text())
                .results()
                .map(block -> block.group(1))
                .filter(text -> text.startsWith("import") && text.contains("import " + module))
                .findFirst()
                .orElseThrow();
        Path script = Files.writeString(folder.resolve(module + "_program.py"), program + steps + DRIVER);

        String said = run(python, script.toString(), data.toString());

        String last = said.strip().lines().reduce("", (before, line) -> line);
        assertThat(last).as(said).matches("\\d+ \\d+");
        return Stream.of(last.split(" ")).map(Long::valueOf).toList();
    }

    /** The first that has a module, or an empty text. */
    private static String interpreter(String module) throws InterruptedException, IOException {
        for (String python : List.of("python3", "/usr/bin/python3")) {
            String found = "import importlib.util as u; assert u.find_spec('numpy') and u.find_spec('%s')";
            if (run(python, "-c", found.formatted(module)).isEmpty()) {
                return python;
            }
        }
        return "";
    }

    private static String run(String... command) throws IOException, InterruptedException {
        Process python;
        try {
            python = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            return "cannot start: " + e;
        }
        python.getOutputStream().close();
        String said = new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int status = python.waitFor();
        return status == 0 ? said : said + "status " + status;
    }
}

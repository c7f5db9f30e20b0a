package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.batch.Batch;
import io.penstock.cli.Cli;
import io.penstock.cli.TarBytes;
import io.penstock.pictures.Photograph;
import io.penstock.store.s3.S3Store;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;

/** The runs that docs/sources.md shows of a bucket, on a server of S3, killed and continued. */
class BucketRunsTest {

    private static final int PICTURES = 80;
    private static final int EPOCHS = 3;
    private static final int KILLED = 128 + 9;
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Document PAGE =
            Document.read(Path.of(System.getProperty("penstock.root"), "docs", "sources.md"));

    @SuppressWarnings("NullAway.Init")
    private static TestBucket bucket;

    @TempDir
    private Path folder;

    @BeforeAll
    static void fill() throws Exception {
        bucket = TestBucket.start();
        List<byte[]> pictures = new ArrayList<>();
        for (int i = 0; i < PICTURES; i++) {
            pictures.add(Photograph.of(i).jpeg());
        }
        for (int part = 0; part < 2; part++) {
            int from = part * PICTURES / 2;
            List<byte[]> rows = pictures.subList(from, from + PICTURES / 2);
            bucket.put("pictures/part-%d.parquet".formatted(part), PictureTable.of(rows, from, 10));
        }
        MdsPictures.of(pictures, 16).forEach((name, bytes) -> bucket.put("train/" + name, bytes));
        for (int shard = 0; shard < 4; shard++) {
            List<Object> files = new ArrayList<>();
            for (int i = shard; i < PICTURES; i += 4) {
                files.addAll(List.of("%03d.jpg".formatted(i), pictures.get(i), "%03d.cls".formatted(i), utf8(i)));
            }
            bucket.put("tars/shard-%03d.tar".formatted(shard), TarBytes.of(files.toArray()));
        }
    }

    private static byte[] utf8(int number) {
        return Integer.toString(number).getBytes(StandardCharsets.UTF_8);
    }

    @AfterAll
    static void stop() {
        bucket.close();
    }

    /** The words of the command of the page that has this text, with a folder of the test's for {@code /scratch}. */
    private static List<String> shown(String text, Path scratch, String... more) {
        List<String> words = new ArrayList<>(ShownCommand.of(PAGE).stream()
                .filter(command -> command.line().contains(text))
                .findFirst()
                .orElseThrow()
                .words());
        words.replaceAll(word -> word.replace("/scratch", scratch.toString()));
        words.addAll(List.of(more));
        return words;
    }

    /** What a run tells of each batch: what is in it, and the token that continues behind it. */
    private static List<String> batches(List<JsonNode> events) {
        return events.stream()
                .filter(event -> event.path("event").asText().equals("batch"))
                .map(event -> event.path("content_digest").asText() + " "
                        + event.path("resume").asText())
                .toList();
    }

    /** Kills a run that has told of some batches. It cannot end before: its output fills the pipe, which is not read. */
    private static List<String> killed(List<String> words, int batches) throws Exception {
        Process process = bucket.start(words);
        List<JsonNode> told = new ArrayList<>();
        try (BufferedReader out = process.inputReader()) {
            while (told.size() < batches) {
                String line = out.readLine();
                assertThat(line).as("the run goes on").isNotNull();
                told.add(JSON.readTree(line));
            }
            process.toHandle().destroyForcibly(); // that of the process closes its output, too
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                addIfWhole(line, told);
            }
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(KILLED);
        return batches(told);
    }

    private static void addIfWhole(String line, List<JsonNode> told) {
        try {
            told.add(JSON.readTree(line));
        } catch (JsonProcessingException cut) { // the last line, which was not written to its end
            assertThat(line).startsWith("{");
        }
    }

    private static Cli run(List<String> words) {
        Cli run = bucket.run(words);
        assertThat(run.status()).as("%s%n%s", words, run.err()).isZero();
        return run;
    }

    @Tag("endurance") // KilledRunTest kills a run of files
    @Test
    void shards_killedTwice_areTheBatchesOfARunThatWasNot() throws Exception {
        assertSameBatches("stream --source 'mds:s3");
    }

    @Tag("endurance")
    @Test
    void tables_killedTwice_areTheBatchesOfARunThatWasNot() throws Exception {
        assertSameBatches("stream --source 'parquet:s3");
    }

    private void assertSameBatches(String command) throws Exception {
        String[] more = {"--batch", "1", "--digest", "--json", "--batch-events"};
        Cli whole = run(shown(command, folder.resolve("whole"), more));
        List<String> expected = batches(whole.events());
        List<String> killed = shown(command, folder.resolve("killed"), more);

        List<String> told = new ArrayList<>(killed(killed, 5));
        told.addAll(killed(killed, 20));
        Cli last = run(killed);
        told.addAll(batches(last.events()));

        assertThat(expected).hasSize(EPOCHS * PICTURES).doesNotHaveDuplicates();
        assertThat(told).doesNotHaveDuplicates().isSubsetOf(expected);
        assertThat(told).isEqualTo(expected.stream().filter(told::contains).toList());
        assertThat(told.size()).isGreaterThanOrEqualTo(expected.size() - 2); // killed between the file and the line
        assertThat(loads(whole)).isEqualTo(PICTURES);
        assertThat(loads(last)).isLessThan(PICTURES);
    }

    /** Of all epochs: so few samples are in flight for several epochs at once, and any of them may load one. */
    private static int loads(Cli run) {
        return run.epochs().stream()
                .mapToInt(epoch -> epoch.path("loads").asInt())
                .sum();
    }

    /** The batches of the method of the page, as their labels and the number of the next draw. */
    @SuppressWarnings("unchecked") // as the page declares it
    private static List<String> ofShards(Object page, Path scratch, Path token, int batches) throws Exception {
        Method method = Arrays.stream(page.getClass().getDeclaredMethods())
                .filter(each -> each.getName().equals("ofShards"))
                .findFirst()
                .orElseThrow();
        method.setAccessible(true);
        List<String> seen = new ArrayList<>();
        try (S3Store store = bucket.store("tars/")) {
            Flux<Batch> stream = (Flux<Batch>) method.invoke(page, store, scratch, token);
            stream.take(batches)
                    .doOnNext(batch -> {
                        try (batch) {
                            seen.add("%s %s"
                                    .formatted(
                                            batch.next(),
                                            Arrays.hashCode(
                                                    batch.tensor("pixels").toByteArray())));
                        }
                    })
                    .blockLast();
        }
        return seen;
    }

    @Test
    void shardsThroughAMirror_stoppedAndContinued_areTheSameBatchesFromOneCopy() throws Exception {
        List<String> snippet = PAGE.snippets().stream()
                .filter(each -> each.contains("ofShards("))
                .toList();
        Object page = new Snippets(Files.createDirectory(folder.resolve("classes"))).instance(snippet);
        Path mirror = folder.resolve("scratch");
        List<String> whole = ofShards(page, mirror, folder.resolve("whole.token"), Integer.MAX_VALUE);

        List<String> both = new ArrayList<>(ofShards(page, mirror, folder.resolve("token"), 2));
        both.addAll(ofShards(page, mirror, folder.resolve("token"), Integer.MAX_VALUE));

        assertThat(both).isEqualTo(whole).hasSizeGreaterThan(3);
        assertThat(new LinkedHashSet<>(both)).hasSameSizeAs(both);
        assertThat(tars(mirror)).hasSize(4);
    }

    private static List<Path> tars(Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> file.getFileName().toString().matches("(?!sums-).*\\.tar"))
                    .toList();
        }
    }
}

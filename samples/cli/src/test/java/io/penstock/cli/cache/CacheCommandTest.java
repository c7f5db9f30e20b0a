package io.penstock.cli.cache;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.cache.Entry;
import io.penstock.cache.Producer;
import io.penstock.cache.Provenance;
import io.penstock.cache.SampleKey;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.cache.chronicle.KeptEntry;
import io.penstock.cli.Cli;
import io.penstock.cli.TarBytes;
import io.penstock.cli.source.Cacheable;
import io.penstock.cli.source.SourceFlags;
import io.penstock.pictures.Photograph;
import io.penstock.pictures.PictureFolder;
import io.penstock.tensor.Encoded;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code penstock cache …}. */
class CacheCommandTest {

    private static final int IMAGES = 20;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private Path train = Path.of("");
    private Path cache = Path.of("");

    @BeforeEach
    void makePictures() {
        train = folder.resolve("train");
        cache = folder.resolve("cache");
        PictureFolder.write(train, IMAGES).blockLast();
    }

    @Test
    void warm_twice_loadsEverySampleOnceAndStreamLoadsNone() {
        Cli first = warm(32);
        Cli second = warm(32);
        Cli stream = Cli.stream("--source images:" + train + " --resize 32 --cache-disk " + cache + ",64MiB");

        assertThat(first.err()).isEmpty();
        assertThat(first.done().path("loaded").asInt()).isEqualTo(IMAGES);
        assertThat(first.done().path("already").asInt()).isZero();
        assertThat(second.done().path("loaded").asInt()).isZero();
        assertThat(second.done().path("already").asInt()).isEqualTo(IMAGES);
        assertThat(stream.epoch(0).path("loads").asInt()).isZero();
    }

    @Test
    void warm_ofWhatWasPartlyThere_loadsTheRest() {
        Cli.stream("--source images:" + train + " --resize 32 --no-shuffle --batch 4 --in-flight 4 --stop-after 2"
                + " --cache-disk " + cache + ",64MiB");

        JsonNode rest = warm(32).done();

        assertThat(rest.path("already").asInt()).isBetween(8, 16);
        assertThat(rest.path("already").asInt() + rest.path("loaded").asInt()).isEqualTo(IMAGES);
    }

    @Test
    void warm_beyondTheBudget_saysThatTheCacheIsFull() {
        Cli run = Cli.run("cache", "warm", cache + ",3MiB", "--source", "images:" + train, "--resize", "300", "--json");

        assertThat(run.status()).isZero();
        assertThat(run.done().path("full").asBoolean()).isTrue();
        assertThat(run.done().path("loaded").asInt()).isBetween(1, IMAGES - 1);
    }

    @Test
    void warm_withABrokenFile_loadsTheOthersAndFails() throws IOException {
        Files.writeString(train.resolve("class-0").resolve("broken.jpg"), "<!doctype html>");

        Cli run = warm(32);

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.done().path("loaded").asInt()).isEqualTo(IMAGES);
        assertThat(run.err().lines()).singleElement().asString().contains("class-0/broken.jpg");
    }

    @Test
    void inspect_ofACache_saysWhatIsInItAndWhoPutItThere() {
        warm(32);
        warm(33);

        List<JsonNode> events =
                Cli.run("cache", "inspect", cache.toString(), "--json").events();

        JsonNode summary = events.get(0);
        assertThat(summary.path("event").asText()).isEqualTo("cache");
        assertThat(summary.path("format").asInt()).isEqualTo(1);
        assertThat(summary.path("entries").asInt()).isEqualTo(2 * IMAGES);
        assertThat(summary.path("live").asInt()).isEqualTo(2 * IMAGES);
        assertThat(summary.path("dead_bytes").asInt()).isZero();
        assertThat(summary.path("live_bytes").asInt()).isGreaterThan(2 * IMAGES * 32 * 32 * 3);
        assertThat(summary.path("budget_bytes").asLong()).isBetween(63L << 20, 64L << 20);
        assertThat(summary.path("open_in")).isEmpty();
        assertThat(events)
                .filteredOn(event -> event.path("event").asText().equals("filling"))
                .hasSize(2)
                .allMatch(producer -> producer.path("live").asInt() == IMAGES)
                .allMatch(producer -> producer.path("stages").get(0).asText().contains("resize"));
        assertThat(events)
                .filteredOn(event -> event.path("event").asText().equals("segment"))
                .isNotEmpty();
    }

    @Test
    void inspect_forPeople_isReadable() {
        warm(32);

        Cli run = Cli.run("cache", "inspect", cache.toString());

        assertThat(run.status()).isZero();
        assertThat(run.out()).contains("format 1", "20 entries, 20 of them live", "open in no process", "filled by");
    }

    @Test
    void inspect_whileItIsOpen_saysByWhom() {
        warm(32);
        try (ChronicleTier open = ChronicleTier.at(cache).maxBytes(64 << 20).open()) {
            JsonNode summary = Cli.run("cache", "inspect", cache.toString(), "--json")
                    .events()
                    .get(0);

            assertThat(summary.path("open_in").get(0).asLong())
                    .isEqualTo(ProcessHandle.current().pid());
            assertThat(summary.path("live").asLong())
                    .isEqualTo(open.statistics().samples());
        }
    }

    @Test
    void verify_ofDamage_saysWhereAndEndsWithOne() throws IOException {
        warm(32);
        Cli sound = Cli.run("cache", "verify", cache.toString(), "--json");
        KeptEntry entry = entries().get(7);
        try (RandomAccessFile file =
                new RandomAccessFile(cache.resolve(entry.segment()).toFile(), "rw")) {
            file.seek(entry.position() + 100);
            int before = file.read();
            file.seek(entry.position() + 100);
            file.write(before ^ 1);
        }

        Cli damaged = Cli.run("cache", "verify", cache.toString(), "--json");

        assertThat(sound.status()).isZero();
        assertThat(sound.done().path("entries").asInt()).isEqualTo(IMAGES);
        assertThat(damaged.status()).isEqualTo(1);
        assertThat(damaged.events().get(0).path("segment").asText()).isEqualTo(entry.segment());
        assertThat(damaged.events().get(0).path("position").asLong()).isEqualTo(entry.position());
        assertThat(damaged.done().path("damaged").asInt()).isEqualTo(1);
        assertThat(damaged.err().lines()).singleElement().asString().contains("1 places are damaged");
    }

    @Test
    void whyMiss_ofAnotherResize_namesTheStage() {
        warm(32);

        JsonNode miss = whyMiss(33);

        assertThat(miss.path("reason").asText()).isEqualTo("stage");
        assertThat(miss.path("index").asInt()).isZero();
        assertThat(miss.path("changes")).hasSize(1);
        assertThat(miss.path("changes").get(0).asText())
                .startsWith("stage 1 was \"map decode ")
                .contains("32")
                .contains("33");
    }

    /** Each sample is looked for in its own source, by the index behind the filter and the split. */
    @Test
    void whyMiss_ofSomeSamplesOfTwoSources_namesSampleAndStageOnce() throws IOException {
        Path more = folder.resolve("more");
        PictureFolder.write(more, IMAGES).blockLast();
        String few =
                " --source images:" + train + " --source images:" + more + " --filter name=class-1/* --split 0..0.9";
        Cli filled = Cli.run(("cache warm " + cache + ",64MiB --json --resize 32" + few).split(" "));
        int last = filled.done().path("loaded").asInt() - 1;
        String asked = "cache why-miss %s %d --json --resize %d%s";

        Cli held = Cli.run(asked.formatted(cache, last, 32, few).split(" "));
        Cli resized = Cli.run(asked.formatted(cache, last, 33, few).split(" "));
        Path image = more.resolve(held.done().path("sample").asText());
        Files.setLastModifiedTime(image, FileTime.from(Instant.parse("2001-02-03T04:05:06Z")));
        Cli changed = Cli.run(asked.formatted(cache, last, 32, few).split(" "));

        assertThat(held.done().path("reason").asText()).isEqualTo("held");
        assertThat(resized.done().path("changes"))
                .singleElement()
                .asString()
                .contains("stage 1 was ", "resize 32", "resize 33");
        assertThat(changed.done().path("changes"))
                .singleElement()
                .extracting(JsonNode::asText)
                .isEqualTo("its source has changed: now it is \"modified 2001-02-03T04:05:06Z\"");
    }

    @Test
    void whyMiss_ofAChangedFile_namesWhatOfIt() throws IOException {
        warm(32);
        Path image = folder.resolve("train").resolve("class-1");
        image = image.resolve(image.toFile().list()[0]);
        Files.setLastModifiedTime(image, FileTime.from(Instant.parse("2001-02-03T04:05:06Z")));

        JsonNode first = whyMiss(32);
        JsonNode byPath = whyMiss(32, image.toString());

        assertThat(first.path("reason").asText()).isEqualTo("source");
        assertThat(first.path("sample").asText()).isEqualTo("class-1/" + image.getFileName());
        assertThat(first.path("changes"))
                .singleElement()
                .extracting(JsonNode::asText)
                .isEqualTo("its source has changed: now it is \"modified 2001-02-03T04:05:06Z\"");
        assertThat(byPath).isEqualTo(first);
    }

    @Test
    void whyMiss_ofTarArchives_blamesTheOneThatWasReplacedAlone() throws IOException {
        Path tars = Files.createDirectory(folder.resolve("tars"));
        for (int i = 0; i < 2; i++) {
            byte[] jpeg = Photograph.of(i).jpeg();
            Files.write(tars.resolve(i + ".tar"), TarBytes.of("x.jpg", jpeg, "x.cls", new byte[] {'7'}));
        }
        String[] warm = {"cache", "warm", cache + ",64MiB", "--source", "tar:" + tars, "--resize", "32"};
        assertThat(Cli.run(warm).err()).isEmpty();
        Files.setLastModifiedTime(tars.resolve("1.tar"), FileTime.from(Instant.parse("2001-02-03T04:05:06Z")));

        List<JsonNode> misses = List.of(whyMissOf("tar:" + tars, 32, "1"), whyMissOf("tar:" + tars, 33, "0"));

        assertThat(whyMissOf("tar:" + tars, 32, "0").path("reason").asText()).isEqualTo("held");
        assertThat(misses).extracting(miss -> miss.path("reason").asText()).containsExactly("source", "stage");
        assertThat(misses.get(0).path("changes"))
                .singleElement()
                .extracting(JsonNode::asText)
                .isEqualTo("its source has changed: now it is \"modified 2001-02-03T04:05:06Z\"");
        assertThat(misses.get(1).path("changes")).singleElement().asString().contains("32", "33");
    }

    @Test
    void whyMiss_ofANewFileAndOfNothing_saysSo() throws IOException {
        warm(32);
        Cli held = Cli.run("cache", "why-miss", cache.toString(), "--source", "images:" + train, "--resize", "32");
        Path image = train.resolve("class-1")
                .resolve(train.resolve("class-1").toFile().list()[0]);
        Files.copy(image, image.resolveSibling("new.jpg"));

        assertThat(held.out().strip()).isEqualTo("all 20 samples are held");
        assertThat(whyMiss(32).path("reason").asText()).isEqualTo("never");
        assertThat(whyMiss(32).path("sample").asText()).isEqualTo("class-1/new.jpg");
        assertThat(whyMiss(32, "0").path("reason").asText()).isEqualTo("held");
    }

    @Test
    void whyMiss_ofAnotherCodecVersion_namesIt() {
        // as a program with an earlier layout of Picture would have left it
        SourceFlags flags = new SourceFlags();
        SourceFlags.readBy(new CommandLine(flags)).parseArgs("--source", "images:" + train, "--resize", "32");
        Cacheable<?> now = flags.open(null);
        Producer before = new Producer(now.producer().source(), now.producer().stages(), "tensors 0 [pixels]");
        try (ChronicleTier tier = ChronicleTier.at(cache).maxBytes(64 << 20).open()) {
            tier.producedBy(before);
            Provenance provenance =
                    Provenance.of(now.dataset().name(3), now.dataset().id(3).state(), before.id());
            tier.put(
                            SampleKey.of("by the earlier codec"),
                            Encoded.of(ByteBuffer.allocate(10)),
                            Entry.UNKNOWN.from(provenance))
                    .block();
        }

        JsonNode miss = whyMiss(32, "3");

        assertThat(miss.path("reason").asText()).isEqualTo("codec");
        assertThat(miss.path("changes").get(0).asText())
                .startsWith("it was kept as tensors 0 [pixels], and is requested as tensors 1 ");
    }

    @Test
    void whyMiss_ofASampleThatIsNot_isWrongUsage() {
        warm(32);

        Cli run = Cli.run("cache", "why-miss", cache.toString(), "nowhere.jpg", "--source", "images:" + train);

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err().lines()).singleElement().asString().contains("has no sample \"nowhere.jpg\"");
    }

    @Test
    void clear_ofACache_leavesAnEmptyDirectoryAndRefusesOthers() throws IOException {
        warm(32);
        Cli cleared = Cli.run("cache", "clear", cache.toString());
        Cli again = Cli.run("cache", "clear", cache.toString());
        Cli foreign = Cli.run("cache", "clear", train.toString());
        Path file = Files.writeString(folder.resolve("file"), "");
        Cli noFolder = Cli.run("cache", "verify", file.toString());

        assertThat(cleared.status()).isZero();
        assertThat(cache.toFile().list()).isEmpty();
        assertThat(again.status()).isEqualTo(1);
        assertThat(foreign.status()).isEqualTo(1);
        assertThat(foreign.err().lines()).singleElement().asString().contains("no cache in");
        assertThat(train.toFile().list()).isNotEmpty();
        assertThat(noFolder.status()).isEqualTo(1);
        assertThat(noFolder.err()).contains("no cache in " + file + ": it is a file, not a directory");
        assertThat(noFolder.err()).doesNotContain("Exception");
    }

    @Test
    void clear_afterATarSource_takesItsFolderAndLeavesWhatIsForeign() throws IOException {
        Path shards = folder.resolve("shards.tar.gz");
        try (var out = new GZIPOutputStream(Files.newOutputStream(shards))) {
            out.write(TarBytes.of("a.bin", new byte[100], "b.bin", new byte[100]));
        }
        Cli run = Cli.stream("--source tar:" + shards + " --cache-disk " + cache + ",64MiB");
        Path notes = Files.writeString(cache.resolve("notes.txt"), "mine");
        Path more = Files.writeString(cache.resolve("tar-index").resolve("more.txt"), "mine too");
        int made = cache.resolve("tar-index").toFile().list().length;

        Cli verified = Cli.run("cache", "verify", cache.toString(), "--json");
        Cli cleared = Cli.run("cache", "clear", cache.toString());

        assertThat(run.err()).isEmpty();
        assertThat(made).isEqualTo(5); // an index, a copy, its checksums, a lock, and more.txt
        assertThat(verified.status()).isZero();
        assertThat(verified.events())
                .filteredOn(event -> event.path("event").asText().equals("foreign"))
                .extracting(event -> event.path("file").asText())
                .containsExactly("notes.txt", "tar-index/more.txt");
        assertThat(cleared.out())
                .contains("left alone: notes.txt, which is not the cache's")
                .contains("left alone: tar-index/more.txt");
        try (Stream<Path> rest = Files.walk(cache)) {
            assertThat(rest.filter(Files::isRegularFile)).containsExactlyInAnyOrder(notes, more);
        }
        Files.delete(more);
        Cli.stream("--source tar:" + shards + " --cache-disk " + cache + ",64MiB");
        assertThat(Cli.run("cache", "clear", cache.toString()).status()).isZero();
        assertThat(cache.toFile().list()).containsExactly("notes.txt");
    }

    private Cli warm(int side) {
        return Cli.run(
                "cache", "warm", cache + ",64MiB", "--source", "images:" + train, "--resize", "" + side, "--json");
    }

    private JsonNode whyMiss(int side, String... sample) {
        return whyMissOf("images:" + train, side, sample);
    }

    private JsonNode whyMissOf(String source, int side, String... sample) {
        List<String> arguments = new ArrayList<>(List.of("cache", "why-miss", cache.toString()));
        arguments.addAll(List.of(sample));
        arguments.addAll(List.of("--source", source, "--resize", "" + side, "--json"));
        return Cli.run(arguments.toArray(String[]::new)).done();
    }

    private List<KeptEntry> entries() {
        List<KeptEntry> entries = new ArrayList<>();
        try (ChronicleTier tier = ChronicleTier.at(cache).readOnly().open()) {
            tier.forEach(entries::add);
        }
        return entries;
    }

    @Test
    void verifyAndClear_ofUnpackedArchives_seeAFlippedBitAndRemoveThem() throws IOException {
        Path archive = folder.resolve("data.tar.gz");
        try (GZIPOutputStream out = new GZIPOutputStream(Files.newOutputStream(archive))) {
            out.write(TarBytes.of("a.txt", new byte[70_000], "b.txt", new byte[70_000]));
        }
        Cli.stream("--batch 1 --cache-disk " + cache + ",64MiB --source tar:" + archive);
        Path index = cache.resolve("tar-index");
        Path unpacked;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(index, "[0-9a-f]*.unpacked")) {
            unpacked = files.iterator().next();
        }
        Cli sound = Cli.run("cache", "verify", cache.toString());

        byte[] bytes = Files.readAllBytes(unpacked);
        bytes[100_000] ^= 1;
        Files.write(unpacked, bytes);
        Cli damaged = Cli.run("cache", "verify", cache.toString());
        Cli cleared = Cli.run("cache", "clear", cache.toString());

        assertThat(sound.status()).isZero();
        assertThat(damaged.status()).isEqualTo(1);
        assertThat(damaged.out()).contains("damaged: tar-index/" + unpacked.getFileName());
        assertThat(cleared.status()).isZero();
        assertThat(index).doesNotExist();
    }
}

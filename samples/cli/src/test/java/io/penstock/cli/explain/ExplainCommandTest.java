package io.penstock.cli.explain;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.augment.Augment;
import io.penstock.augment.AugmentSpec;
import io.penstock.cli.Cli;
import io.penstock.folder.ImageFolder;
import io.penstock.image.ImageDecoder;
import io.penstock.image.Resize;
import io.penstock.order.Draw;
import io.penstock.order.Sampler;
import io.penstock.pictures.PictureFolder;
import io.penstock.resume.ResumeToken;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExplainCommandTest {

    private static final int IMAGES = 29;
    private static final String AUGMENT = "crop=48,flip,jitter=0.4,erase=0.5";

    @TempDir
    private static Path folder;

    private static String images;

    @BeforeAll
    static void makePictures() {
        PictureFolder.write(folder.resolve("train"), IMAGES).blockLast();
        images = "--source images:" + folder.resolve("train") + " --augment " + AUGMENT;
    }

    private static Cli explain(String flags) {
        return Cli.run(("explain --json " + flags).split(" +"));
    }

    private static List<JsonNode> samples(Cli explained) {
        List<JsonNode> events = explained.events();
        return events.subList(0, events.size() - 1);
    }

    @Test
    void batches_ofEveryRank_areReplayedWithTheDigestOfTheRun() {
        for (String flags : List.of(
                " --resize 64 --epochs 3 --batch 4 --remainder pad --rank 1 --world 2",
                " --resize 64 --epochs 3 --batch 4 --remainder drop --rank 2 --world 3 --shard stable",
                " --resize 56 --epochs 2 --batch 5 --shard reshard=1:2 --window 3 --cache-ram 16MiB")) {
            List<JsonNode> batches = Cli.stream(images + flags + " --digest --batch-events").events().stream()
                    .filter(event -> event.path("event").asText().equals("batch"))
                    .toList();
            for (JsonNode batch : List.of(batches.get(0), batches.get(3), batches.get(batches.size() - 1))) {
                Cli explained = explain(images + flags + " --replay --step "
                        + batch.path("step").asInt());

                assertThat(explained.status()).isZero();
                assertThat(samples(explained)).hasSize(batch.path("samples").asInt());
                assertThat(explained.done().path("content_digest").asText())
                        .isEqualTo(batch.path("content_digest").asText());
                assertThat(explained.done().path("resume").asText())
                        .isEqualTo(batch.path("resume").asText());
            }
        }
    }

    @Test
    void stages_ofARun_areTheSourceAndWhatEachStepLeaves() {
        String flags =
                "--source images:" + folder.resolve("train") + " --filter name=*/*1.jpg --split 0.1..0.8 --resize 32";

        Cli people = Cli.run(("explain --step 0 " + flags).split(" "));
        JsonNode batch = explain(flags + " --step 0").done();

        List<String> stages = new ArrayList<>();
        batch.path("stages").forEach(stage -> stages.add(stage.asText()));
        assertThat(stages).hasSizeGreaterThan(3);
        assertThat(stages.get(0)).contains(folder.toString(), IMAGES + " samples");
        assertThat(stages)
                .anyMatch(stage -> stage.matches("select name=\\*/\\*1\\.jpg: \\d+ of %d samples".formatted(IMAGES)));
        assertThat(stages).anyMatch(stage -> stage.startsWith("part 1 of split [0.1, 0.7, 0.2], seed 0"));
        assertThat(people.out()).startsWith(String.join("\n", stages));
    }

    @Test
    void parameters_ofASample_areThoseItWasChangedBy() {
        JsonNode sample = samples(explain(images + " --resize 64 --epochs 2 --batch 8 --seed 7 --step 5"))
                .get(3);

        Augment augment = AugmentSpec.parse(AUGMENT);
        Draw draw = Sampler.shuffled(7).epochs(2).draws(IMAGES).at(IMAGES + 8 + 3);
        ImageDecoder decoder = ImageDecoder.fastest();
        Tensor decoded = decoder.decodeReduced(
                ImageFolder.open(folder.resolve("train"))
                        .get(draw.index())
                        .block()
                        .bytes(),
                Resize.exact(64, 64));
        Augment.Parameters drawn = augment.draw(decoded.shape(), draw);
        assertThat(sample.path("index").asLong()).isEqualTo(draw.index());
        assertThat(augment.apply(decoded, drawn)).isEqualTo(augment.apply(decoded, draw.random(augment.name())));
        JsonNode said = sample.path("augment").path(augment.name());
        assertThat(said.path("region").path("top").asInt())
                .isEqualTo(drawn.region().top());
        assertThat(said.path("region").path("left").asInt())
                .isEqualTo(drawn.region().left());
        assertThat(said.path("flipped").asBoolean()).isEqualTo(drawn.flipped());
        assertThat(said.path("colour").path("brightness").asDouble())
                .isEqualTo(drawn.colour().brightness());
        assertThat(said.path("colour").path("order").get(0).asText())
                .isEqualTo(drawn.colour().order().get(0).name());
        assertThat(said.path("erasure").path("noise").asLong())
                .isEqualTo(drawn.erasure().noise());
        assertThat(sample.path("name").asText()).contains(".jpg");
    }

    @Test
    void parameters_ofWhatIsNotDrawn_areLeftOut() {
        String flags = "--source images:" + folder.resolve("train") + " --resize 64 --step 0 --augment ";

        String cropped =
                Cli.run(("explain " + flags + "crop=48,flip").split(" ")).out();
        String coloured =
                Cli.run(("explain " + flags + "jitter=0.4").split(" ")).out();
        JsonNode sample =
                samples(explain(flags + "erase=0.5,normalise=imagenet")).get(0);

        assertThat(cropped)
                .contains(": region=48 × 48 at (", ", flipped=")
                .doesNotContain("olour", "rasure", "Parameters");
        assertThat(coloured).contains("colour=Colour[").doesNotContain("egion", "flipped", "rasure");
        assertThat(sample.path("augment").elements().next().fieldNames())
                .toIterable()
                .containsExactly("erasure");
    }

    @Test
    void parameters_ofImagesOfOneSize_areToldWithoutReadingThem() throws IOException {
        Path broken = folder.resolve("broken");
        PictureFolder.write(broken, 5).blockLast();
        try (Stream<Path> files = Files.walk(broken)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.writeString(file, "no image");
            }
        }
        String source = "--source images:" + broken + " --augment crop=8,flip --batch 5 --step 0";

        Cli told = explain(source + " --resize 16");
        Cli needsThem = explain(source);

        assertThat(told.status()).isZero();
        assertThat(samples(told)).hasSize(5);
        assertThat(needsThem.status()).isEqualTo(1);
    }

    @Test
    void batch_ofImagesOfTheirOwnSizes_isExplainedByLoadingThem() {
        Cli explained = explain(images + " --batch 3 --step 2");

        assertThat(samples(explained))
                .hasSize(3)
                .allSatisfy(sample -> assertThat(sample.path("augment")
                                .path(AugmentSpec.parse(AUGMENT).name())
                                .path("region")
                                .path("height")
                                .asInt())
                        .isEqualTo(48));
    }

    @Test
    void batch_ofClasses_namesTheClassOfEachSampleAndIsReplayed() {
        String flags = images + " --resize 64 --batch 6 --batch-classes 2 --epochs 2";
        JsonNode batch = Cli.stream(flags + " --digest --batch-events").events().stream()
                .filter(event -> event.path("step").asInt(-1) == 3)
                .findFirst()
                .orElseThrow();

        Cli explained = explain(flags + " --replay --step 3");
        Cli people = Cli.run(("explain " + flags + " --step 3").split(" +"));

        List<JsonNode> rows = samples(explained);
        assertThat(rows).hasSize(6).allSatisfy(row -> {
            assertThat(row.path("name").asText()).startsWith(row.path("label").asText() + "/");
            assertThat(row.path("augment")).isNotEmpty();
        });
        assertThat(rows.stream().map(row -> row.path("label").asText()).distinct())
                .hasSize(2);
        assertThat(rows.stream().map(row -> row.path("index").asInt()).distinct())
                .hasSize(6);
        assertThat(explained.done().path("content_digest").asText())
                .isEqualTo(batch.path("content_digest").asText());
        assertThat(people.out())
                .contains(".jpg, class " + rows.get(0).path("label").asText());
    }

    @Test
    void from_ofABatch_isTheTokenThatMakesItFirst() {
        String flags = images + " --resize 64 --epochs 2 --batch 4 --digest";
        Cli explained = explain(flags + " --replay --step 9");

        Cli run = Cli.run(("stream --json " + flags + " --stop-after 1 --resume "
                        + explained.done().path("from").asText())
                .split(" +"));

        assertThat(run.epoch(0).path("content_digest").asText())
                .isEqualTo(explained.done().path("content_digest").asText());
        assertThat(ResumeToken.parse(explained.done().path("from").asText())
                        .position()
                        .epoch())
                .isEqualTo(1);
    }

    @Test
    void explain_forPeople_namesSamplesAndWhatWasDone() {
        Cli run = Cli.run(("explain " + images + " --resize 64 --remainder pad --batch 16 --rank 3 --world 4 --step 0")
                .split(" +"));

        assertThat(run.status()).isZero();
        assertThat(run.out())
                .startsWith("images in " + folder.resolve("train"))
                .contains("step 0 of rank 3 of 4: epoch 0, 8 draws", ".jpg")
                .contains("flipped=")
                .contains("1 draws without a sample");
    }

    private String withABrokenFile(String name) throws IOException {
        Path pictures = folder.resolve(name);
        PictureFolder.write(pictures, 7).blockLast();
        Files.writeString(Files.createDirectories(pictures.resolve("a")).resolve("zz.jpg"), "no image");
        return "--source images:" + pictures + " --resize 16 --augment crop=8,flip --batch 4 --seed 3";
    }

    @Test
    void samples_thatWereSkipped_areToldByTheReplay() throws IOException {
        String flags = withABrokenFile("skipped") + " --on-error skip";
        List<JsonNode> batches = Cli.stream(flags + " --digest --batch-events").events().stream()
                .filter(event -> event.path("event").asText().equals("batch"))
                .toList();

        List<Cli> replayed = List.of(explain(flags + " --replay --step 0"), explain(flags + " --replay --step 1"));

        for (int step = 0; step < 2; step++) {
            JsonNode batch = replayed.get(step).done();
            assertThat(batch.path("samples")).isEqualTo(batches.get(step).path("samples"));
            assertThat(batch.path("content_digest")).isEqualTo(batches.get(step).path("content_digest"));
        }
        assertThat(replayed.stream().flatMap(each -> samples(each).stream()))
                .filteredOn(event -> event.path("event").asText().equals("skipped"))
                .singleElement()
                .satisfies(event -> assertThat(event.path("name").asText()).contains("zz.jpg"));
        assertThat(Cli.run(("explain " + flags + " --step 0").split(" +")).out())
                .contains("--replay tells which of them could not be loaded");
    }

    @Test
    void samples_thatTookAnothersPlace_areNamedByTheReplay() throws IOException {
        String flags = withABrokenFile("replaced") + " --on-error substitute";
        int broken = 0; // "a" is the first of the folders

        List<JsonNode> rows = Stream.of(0, 1)
                .map(step -> explain(flags + " --replay --step " + step))
                .flatMap(explained -> samples(explained).stream())
                .toList();

        assertThat(rows).hasSize(8).noneMatch(row -> row.path("index").asInt() == broken);
        JsonNode substitute =
                rows.stream().filter(row -> row.has("instead_of")).findFirst().orElseThrow();
        assertThat(substitute.path("instead_of").asInt()).isEqualTo(broken);
        int index = substitute.path("index").asInt();
        assertThat(rows).filteredOn(row -> row.path("index").asInt() == index).hasSize(2);
        assertThat(Cli.run(("explain " + flags + " --replay --step " + (rows.indexOf(substitute) / 4)).split(" +"))
                        .out())
                .contains("in place of sample 0, which could not be loaded");
    }

    @Test
    void explain_besideARun_opensNoCache() {
        Path cache = folder.resolve("cache");

        Cli explained = explain(images + " --resize 64 --batch 4 --cache-disk " + cache + " --replay --step 1");

        assertThat(explained.status()).isZero();
        assertThat(cache).doesNotExist();
    }

    @Test
    void explain_besideARun_leavesWhatTheRunWritesAlone() {
        Path token = folder.resolve("run.token");
        Path bad = folder.resolve("bad.jsonl");
        String flags = images + " --resize 64 --batch 4 --resume-file " + token;
        Cli run = Cli.stream(flags + " --stop-after 2");

        Cli moved = explain(flags + " --step 0");
        Cli begun = explain(flags + " --on-error skip --quarantine " + bad + " --step 0 --resume " + run.resume());

        assertThat(moved.status()).isEqualTo(2);
        assertThat(moved.err()).contains("steps count from where a run began, which --resume-file no longer says");
        assertThat(begun.done().path("from").asText()).isEqualTo(run.resume());
        assertThat(ResumeToken.load(token)).hasToString(run.resume());
        assertThat(bad).doesNotExist();
    }

    @Test
    void step_thatIsNone_isRefusedSayingHowManyThereAre() {
        Cli run = explain(images + " --resize 64 --batch 10 --step 3");

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains("--step must be in [0, 3), which are the batches of rank 0 of 1, was 3");
    }
}

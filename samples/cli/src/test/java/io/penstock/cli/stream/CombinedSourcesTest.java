package io.penstock.cli.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.Cli;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Several sources as one, and some samples of them, by flags. */
class CombinedSourcesTest {

    @TempDir
    Path folder;

    private String first = "";
    private String second = "";

    @BeforeEach
    void makePictures() throws IOException {
        first = "--source images:" + pictures("first", 40);
        second = " --source images:" + pictures("second", 24);
    }

    private Path pictures(String name, int count) throws IOException {
        Path root = folder.resolve(name);
        for (int i = 0; i < count; i++) {
            Path file = root.resolve(i % 4 == 0 ? "cat" : "dog").resolve(i + ".png");
            Files.createDirectories(file.getParent());
            BufferedImage image = new BufferedImage(8, 8, BufferedImage.TYPE_INT_RGB);
            image.setRGB(i % 8, i / 8, 0xFFFFFF - i);
            ImageIO.write(image, "png", file.toFile());
        }
        return root;
    }

    private static int samples(Cli run) {
        assertThat(run.err()).isEmpty();
        assertThat(run.status()).isZero();
        return run.epoch(0).path("samples").asInt();
    }

    @Test
    void sources_two_areOneAfterAnotherAndShareACache() {
        String cache = " --resize 8 --cache-disk " + folder.resolve("cache");

        assertThat(samples(Cli.stream(first + cache))).isEqualTo(40);
        Cli both = Cli.stream(first + second + cache);
        Cli again = Cli.stream(second.strip() + cache);

        assertThat(samples(both)).isEqualTo(64);
        assertThat(both.epoch(0).path("loads").asInt()).isEqualTo(24);
        assertThat(again.epoch(0).path("loads").asInt()).isZero();
    }

    @Test
    void sources_resumedInTheMiddle_areTheSameAsInOneRun() {
        String flags = first + second + " --resize 8 --batch 8 --digest --epochs 2";
        Cli whole = Cli.stream(flags);

        Cli begun = Cli.stream(flags + " --stop-after 5");
        Cli rest = resumed(flags, begun);

        assertThat(begun.content(0) + rest.content(0)).isEqualTo(whole.content(0));
        assertThat(rest.content(1)).isEqualTo(whole.content(1));
    }

    @ParameterizedTest
    @CsvSource({
        "label=cat, 10",
        "label=dog, 30",
        "'label=cat,dog', 40",
        "name=cat/*, 10",
        "name=**/1?.png, 10",
        "bytes=0..1, -1",
        "bytes=1..1MiB, 40"
    })
    void filter_byWhatIsListed_takesTheseSamples(String filter, int samples) {
        Cli run = Cli.stream(first + " --resize 8 --filter " + filter);

        if (samples < 0) {
            assertThat(run.status()).isEqualTo(2);
            assertThat(run.err()).contains("no sample is left of 40: --filter bytes=0..1 takes none");
        } else {
            assertThat(samples(run)).isEqualTo(samples);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "--split 0..0.0001, --split 0..0.0001 takes none",
        "--filter label=cat --split 0.9999..1, --filter label=cat with --split 0.9999..1 takes none"
    })
    void split_thatTakesNone_isRefused(String flags, String message) {
        Cli run = Cli.stream(first + " --resize 8 " + flags);

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains("no sample is left of 40: " + message);
    }

    @Test
    void split_twoParts_areAllSamplesTogether() {
        int training = samples(Cli.stream(first + second + " --resize 8 --split 0..0.7"));
        int validation = samples(Cli.stream(first + second + " --resize 8 --split 0.7..1 --seed 9"));

        assertThat(training).isBetween(30, 60);
        assertThat(training + validation).isEqualTo(64);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--filter color=red | a filter is label=A,B or name=GLOB or bytes=MIN..MAX, was \"color=red\"",
                "--filter label=cow | there is no class cow; the classes are cat, dog",
                "--filter bytes=9..1 | --filter bytes=9..1 takes nothing: MIN is more than MAX",
                "--filter name=[ | is no pattern",
                "--split 0.5 | a split is FROM..TO in [0, 1], as in 0..0.9 and 0.9..1, was \"0.5\"",
                "--split 0.9..0.1 | a split is FROM..TO in [0, 1]",
                "--split 0..1.1 | a split is FROM..TO in [0, 1]"
            })
    void flags_outOfRange_areRefused(String flags, String message) {
        Cli run = Cli.stream(first + " " + flags);

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains(message);
    }

    @Test
    void weights_ofTwoSources_areThoseOfEveryEpochAndCacheEach() {
        Cli run = Cli.stream(
                first + second + " --weights 0.7,0.3 --resize 8 --batch 8 --epochs 3 --cache-ram 8MiB --stop 50");

        assertThat(samples(run)).isEqualTo(50);
        assertThat(run.epochs()).allSatisfy(epoch -> {
            assertThat(epoch.path("sources").path(0).path("samples").asInt()).isBetween(34, 36);
            assertThat(epoch.path("sources").path(1).path("samples").asInt()).isBetween(14, 16);
        });
        assertThat(run.epoch(0).path("sources").path(0).path("source").asText())
                .isEqualTo("images:" + folder.resolve("first"));
        assertThat(sum(run, 0, "/loads")).isEqualTo(40);
        assertThat(sum(run, 1, "/loads")).isEqualTo(24);
        for (int source = 0; source < 2; source++) {
            assertThat(sum(run, source, "/hits/ram") + sum(run, source, "/misses"))
                    .isEqualTo(sum(run, source, "/samples"));
        }
    }

    @Test
    void table_ofTwoSources_saysLoadsAndHitsOfEach() {
        String flags = "stream " + first + second + " --resize 8 --epochs 2 --in-flight 1 --cache-ram 8MiB";

        Cli run = Cli.run(flags.split(" "));

        assertThat(run.out())
                .containsSubsequence(
                        " 40 of images:" + folder.resolve("first") + ", 40 loads, 0 hits ram",
                        " 24 of images:" + folder.resolve("second") + ", 24 loads, 0 hits ram",
                        ", 0 loads, 40 hits ram",
                        ", 0 loads, 24 hits ram");
    }

    @ParameterizedTest
    @ValueSource(strings = {"keep", "drop", "pad"})
    void samplesOfSources_areThoseOfDeliveredBatches(String remainder) {
        String flags = first + second + " --resize 8 --batch 7 --epochs 3 --digest --remainder " + remainder;
        Cli whole = Cli.stream(flags + " --rank 0 --world 1");
        Cli cut = Cli.stream(flags + " --rank 1 --world 2 --stop-after 6");

        for (Cli run : List.of(whole, cut)) {
            assertThat(run.epochs()).isNotEmpty().allSatisfy(epoch -> {
                int both = epoch.path("sources").path(0).path("samples").asInt()
                        + epoch.path("sources").path(1).path("samples").asInt();
                assertThat(both).isEqualTo(epoch.path("samples").asInt());
            });
        }
        if (!remainder.equals("drop")) {
            assertThat(whole.epochs())
                    .allSatisfy(epoch -> assertThat(epoch.path("sources")
                                    .path(0)
                                    .path("samples")
                                    .asInt())
                            .isEqualTo(40));
        }
    }

    private static int sum(Cli run, int source, String count) {
        return run.epochs().stream()
                .mapToInt(epoch -> epoch.path("sources").path(source).at(count).asInt())
                .sum();
    }

    @ParameterizedTest
    @CsvSource({"first, 48, 49", "all, 79, 80", "1000, 1000, 1000"})
    void mixture_endsWithItsFirstSourceOrAllOrAfterDraws(String stop, int min, int max) {
        Cli run = Cli.stream(first + second + " --weights 0.5,0.5 --resize 8 --stop " + stop);

        assertThat(samples(run)).isBetween(min, max);
    }

    private static Cli resumed(String flags, Cli begun) {
        return Cli.run(Stream.concat(
                        Stream.of("stream --json %s --resume".formatted(flags).split(" ")), Stream.of(begun.resume()))
                .toArray(String[]::new));
    }

    @Test
    void mixture_resumedWithOtherWeightsAndRanks_goesOn() {
        String flags = first + second + " --resize 8 --batch 4 --epochs 2 --digest --weights ";
        Cli whole = Cli.stream(flags + "0.6,0.4");
        Cli begun = Cli.stream(flags + "0.6,0.4 --stop-after 3");

        Cli rest = resumed(flags + "0.6,0.4", begun);
        Cli left = resumed(flags + "0.6,0.4 --rank 0 --world 2", begun);
        Cli right = resumed(flags + "0.6,0.4 --rank 1 --world 2", begun);
        Cli other = resumed(flags + "0.1,0.9", begun);

        assertThat(begun.content(0) + rest.content(0)).isEqualTo(whole.content(0));
        assertThat(left.content(1) + right.content(1)).isEqualTo(whole.content(1));
        assertThat(other.status()).isZero();
        assertThat(other.epoch(1).path("sources").path(1).path("samples").asInt())
                .isGreaterThan(
                        whole.epoch(1).path("sources").path(1).path("samples").asInt());
    }

    @Test
    void mixture_byWeightsThatChange_isResumedWithAnotherRest() {
        String flags = first + second + " --resize 8 --batch 4 --epochs 2 --digest --stop 24 --weights-between line"
                + " --weights-at ";
        Cli whole = Cli.stream(flags + "0:1,0;24:0,1");
        Cli begun = Cli.stream(flags + "0:1,0;24:0,1 --stop-after 3");

        Cli right = resumed(flags + "0:1,0;24:0,1 --rank 1 --world 2", begun);
        Cli left = resumed(flags + "0:1,0;24:0,1 --rank 0 --world 2", begun);
        Cli other = resumed(flags + "0:1,0;24:0,1;25:1,0", begun);
        Cli refused = resumed(flags + "0:1,0;30:0,1", begun);

        assertThat(whole.epoch(0).path("sources").path(0).path("samples").asInt())
                .isEqualTo(12);
        assertThat(whole.epoch(1).path("sources").path(1).path("samples").asInt())
                .isEqualTo(24);
        assertThat(left.content(1) + right.content(1)).isEqualTo(whole.content(1));
        assertThat(other.epoch(1).path("sources").path(0).path("samples").asInt())
                .isGreaterThan(22);
        assertThat(refused.err()).contains("the weights of draws that were made cannot change: the run is at draw 12");
    }

    @Test
    void batches_ofClasses_areTheSameAtOtherWorldSizesAndWhereTheyAreResumed() {
        String flags =
                first + " --resize 8 --augment flip --batch 8 --batch-classes 2 --epochs 2 --digest --split 0..0.8";
        Cli whole = Cli.stream(flags);
        Cli begun = Cli.stream(flags + " --stop-after 2");

        Cli left = resumed(flags + " --rank 0 --world 2", begun);
        Cli right = resumed(flags + " --rank 1 --world 2", begun);
        Cli shown = Cli.run(("explain --step 1 " + flags.replace(" --digest", "")).split(" "));

        assertThat(samples(whole)).isEqualTo(8 * whole.epoch(0).path("batches").asInt());
        assertThat(begun.content(0) + left.content(0) + right.content(0)).isEqualTo(whole.content(0));
        assertThat(left.content(1) + right.content(1)).isEqualTo(whole.content(1));
        assertThat(shown.out()).contains("batches of 2 classes by 4 of ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--batch 10 --batch-classes 4 | --batch must be a multiple of --batch-classes 4, was 10",
                "--batch 9 --batch-classes 3 | --batch-classes needs one source of images in folders of classes",
                "--batch-classes 2 --with-indices | --batch-classes and --with-indices exclude each other",
                "--weights-at 0:1 | --weights-at needs one weight for each --source: 1 for 2 at draw 0",
                "--weights-at 5:1,1 | draws must ascend from 0 on, was \"5:1,1\" where 0 or more was expected",
                "--weights-at 0:1,1;0:2,1 | draws must ascend from 0 on",
                "--weights-at 0:1,x | a number in [0.000001, 1000000] was expected, was \"x\"",
                "--weights-at 0=1 | draws with their weights, such as 0:0.9,0.1;50000:0.5,0.5, were expected",
                "--weights-at 0:0,0 | weights at draw 0 must be 0 or more, with a finite sum above 0",
                "--weights-at 0:1,1 --weights 1,1 | --weights and --weights-at exclude each other",
                "--weights-between line | --weights-between needs --weights-at",
                "--weights 0.5 | --weights needs one weight for each --source: 1 for 2",
                "--weights 0,1 | a number in [0.000001, 1000000] was expected, was \"0\"",
                "--stop all | --stop needs --weights",
                "--weights 1,1 --stop never | an epoch of a mixture ends with the first source, with all, or after N draws",
                "--weights 1,1 --shard stable | shard mode must be global"
            })
    void mixture_flagsThatDoNotFit_areRefused(String flags, String message) {
        Cli run = Cli.stream(first + second + " --resize 8 " + flags);

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains(message);
    }

    @Test
    void sources_ofUnlikeKinds_areRefused() throws IOException {
        Path records = Files.write(folder.resolve("records"), new byte[100]);

        Cli run = Cli.stream(first + " --source records:" + records + ",10");

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains("the sources do not go together: 1 have pictures, 1 have other samples");
        assertThat(Cli.stream("--source records:" + records + ",10 --filter label=cat")
                        .err())
                .contains("--filter label= needs a source with classes");
    }
}

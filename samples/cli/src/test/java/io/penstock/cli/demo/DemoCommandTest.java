package io.penstock.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.Cli;
import io.penstock.pictures.PictureFolder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoCommandTest {

    private static final Pattern FOLDER = Pattern.compile("--source images:(\\S+)");

    @Test
    void demo_loadsEveryPictureOnce() {
        Cli demo = Cli.run("demo", "--images", "30", "--json");

        assertThat(demo.status()).isZero();
        assertThat(demo.err()).isEmpty();
        // the second epoch begins while the first one ends, and on a busy machine may begin one of its loads
        assertThat(demo.epoch(0).path("loads").asInt()
                        + demo.epoch(1).path("loads").asInt())
                .isEqualTo(30);
        assertThat(demo.epoch(2).path("loads").asInt()).isZero();
        assertThat(demo.epochs())
                .extracting(epoch -> epoch.path("bytes").asInt())
                .containsOnly(30 * 200 * 200 * 3);
    }

    @Test
    void demo_forPeople_saysWhatTheCacheChangedAndPrintsACommandThatRuns() throws IOException {
        Cli demo = Cli.run("demo", "--images", "20");
        String command = demo.out().lines().findFirst().orElseThrow();
        Matcher folder = FOLDER.matcher(command);

        assertThat(demo.out()).contains("verdict: ").contains("the cache: epoch 2 took");
        assertThat(folder.find()).isTrue();
        assertThat(demo.err()).isEqualTo("making 20 pictures in %s%n".formatted(folder.group(1)));
        Cli copied = Cli.run(command.replace("./penstock ", "").split(" "));
        assertThat(copied.status()).isZero();
        assertThat(copied.out()).contains("verdict: ");
        delete(Path.of(folder.group(1)));
    }

    @Test
    void demo_forPrograms_leavesNothingBehind() throws IOException {
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        List<Path> before = made(temporary);

        Cli.run("demo", "--images", "10", "--json");

        assertThat(before).containsAll(made(temporary));
    }

    private static List<Path> made(Path temporary) throws IOException {
        try (Stream<Path> files = Files.list(temporary)) {
            return files.filter(file -> file.getFileName().toString().startsWith("penstock-demo-"))
                    .toList();
        }
    }

    @Test
    void demo_ofAFolderWithABlank_quotesItForAShell(@TempDir Path folder) {
        Path blank = folder.resolve("my 'own' pictures");
        PictureFolder.write(blank, 10).blockLast();

        Cli demo = Cli.run("demo", "--data", blank.toString());

        assertThat(demo.out())
                .startsWith("./penstock stream --source 'images:%s/my '\\''own'\\'' pictures' --resize 224 "
                        .formatted(folder));
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    @Test
    void demo_ofAFolder_usesAndLeavesIt(@TempDir Path folder) throws IOException {
        PictureFolder.write(folder, 12).blockLast();

        Cli demo = Cli.run("demo", "--data", folder.toString(), "--json");

        assertThat(demo.epoch(0).path("samples").asInt()).isEqualTo(12);
        assertThat(Files.exists(folder.resolve("class-0"))).isTrue();
    }

    @Test
    void demo_ofTwoFolders_mixesThem(@TempDir Path folder) {
        Path first = folder.resolve("first");
        Path second = folder.resolve("second");
        PictureFolder.write(first, 30).blockLast();
        PictureFolder.write(second, 10).blockLast();

        Cli demo = Cli.run(
                "demo", "--data", first.toString(), "--data", second.toString(), "--weights", "0.6,0.4", "--json");

        assertThat(demo.epochs()).hasSize(3).allSatisfy(epoch -> {
            assertThat(epoch.path("sources").path(0).path("samples").asInt()).isBetween(15, 16);
            assertThat(epoch.path("sources").path(1).path("samples").asInt()).isBetween(10, 11);
        });
    }

    @Test
    void demo_withWeightsAlone_makesASourceForEach() throws IOException {
        Cli demo = Cli.run("demo", "--images", "20", "--weights", "1,1");

        assertThat(demo.out())
                .contains("/source-2 --weights 1.0,1.0 ")
                .containsPattern("10 of images:\\S+/source-1, \\d+ loads");
        Matcher folder = FOLDER.matcher(demo.out());
        assertThat(folder.find()).isTrue();
        delete(Path.of(folder.group(1)).getParent());
    }

    @Test
    void weights_thatAreNotOneForEachFolder_areRefused() {
        Cli demo = Cli.run("demo", "--data", "a", "--data", "b");

        assertThat(demo.status()).isEqualTo(2);
        assertThat(demo.err())
                .contains("--weights needs one weight for each --data: 0 for 2")
                .hasLineCount(1);
    }

    @Test
    void images_tooFewForTheWeights_areRefused() {
        Cli demo = Cli.run("demo", "--images", "19", "--weights", "2,1");

        assertThat(demo.status()).isEqualTo(2);
        assertThat(demo.err())
                .contains("--images must be at least 10 for each of the --weights: 19 for 2")
                .hasLineCount(1);
    }

    @Test
    void weight_thatIsNone_isRefused() {
        Cli demo = Cli.run("demo", "--images", "12", "--weights", "1,0");

        assertThat(demo.status()).isEqualTo(2);
        assertThat(demo.err())
                .contains("a number in [0.000001, 1000000] was expected, was \"0\"")
                .hasLineCount(1);
    }

    @Test
    void port_withoutAPage_isRefused() {
        Cli demo = Cli.run("demo", "--port", "8080");

        assertThat(demo.status()).isEqualTo(2);
        assertThat(demo.err()).contains("--port needs --page").hasLineCount(1);
    }

    @Test
    void page_onATakenPort_endsWithStatusTwoAndLeavesNothingBehind() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
            Cli demo = Cli.run("demo", "--images", "12", "--page", "--port", String.valueOf(taken.getLocalPort()));

            assertThat(demo.status()).isEqualTo(2);
            assertThat(demo.out()).isEmpty();
            assertThat(demo.err())
                    .contains("--port %d is taken or not allowed; choose another, or 0 for any free one"
                            .formatted(taken.getLocalPort()));
        }
    }
}

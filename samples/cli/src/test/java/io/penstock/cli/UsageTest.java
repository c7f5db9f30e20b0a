package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pictures.PictureFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UsageTest {

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--source parket:x                            | there is no such source: \"parket:x\"; the sources"
                        + " are images:DIR",
                "--source x                                   | the sources are",
                "--source :x                                  | a source needs its kind before its place, such as images::x",
                "--source http:x                              | an address that begins with http:// or https://, was"
                        + " \"x\"; a folder is images:x",
                "--source images:x --depth -1                 | in [0, 64]",
                "--source images:x --depth 65                 | in [0, 64]",
                "--source images:x --depth 9999999999         | in [0, 64]",
                "--source text:x --depth 1                    | --depth is for images",
                "--source images:                             | a source needs a place",
                "--source records:x                           | records need the size of one",
                "--source records:x,0                         | a record must have",
                "--source records:x,many                      | a size is a number and a unit",
                "--batch 64                                   | --source",
                "--source images:x --nonsense                 | --nonsense",
                "--source images:x stray                      | stray",
                "--source images:x --resize 0                 | less than 2 GiB, so a whole number in [1, 26754]",
                "--source images:x --batch many               | --batch",
                "--source images:x --batch 99999999999        | in [1, 16777216]",
                "--source images:x --epochs -1                | in [1, 2147483647]",
                "--source images:x --cache-ram 5              | a size is a number and a unit",
                "--source images:x --cache-ram 101%           | at most 100%",
                "--source images:x --cache-policy mru         | there is no cache policy \"mru\"",
                "--source images:x --cache-policy hold        | --cache-policy needs --cache-ram",
                "--source images:x --cache-policy cost --cache-disk y | so it needs --cache-ram",
                "--source images:x --cache-disk y,20          | a size is a number and a unit",
                "--source images:x --cache-disk ,1GiB         | a directory and a size",
                "--source images:x --cache-redis y            | a cache in redis is redis://HOST:PORT",
                "--source images:x --cache-redis redis://u:p@h | shows in the list of processes",
                "--source images:x --cache-redis env:NO_SUCH_ONE | the environment has no NO_SUCH_ONE",
                "--source images:x --cache-redis spawn:5      | a size such as 512MiB",
                "--source images:x --cache-redis spawn-all:1GiB | spawn-all need a place to meet: say meet=HOST:PORT",
                "--source images:x --cache-redis spawn-all:1GiB?meet=h:1&port=2 | it knows no parameter",
                "--source images:x --no-shuffle --window 4    | exclude each other",
                "--source images:x --remainder some           | drop or pad or keep was expected",
                "--source images:x --rank 0                   | --world is missing",
                "--source images:x --world 2                  | --rank is missing",
                "--source images:x --rank -1 --world 2        | in [0, 1048575]",
                "--source images:x --rank 2 --world 2         | rank must be in [0, 2), was 2",
                "--source images:x --rank 0 --world 0         | in [1, 1048576]",
                "--source images:x --resume garbage           | this is no resume token",
                "--source images:x --resume @/nowhere/at/all  | cannot read the resume token",
                "--source images:x --on-error shrug           | fail or skip or substitute was expected",
                "--source images:x --error-budget 3           | need --on-error",
                "--source images:x --quarantine f             | need --on-error",
                "--source images:x --on-error skip --error-budget 200% | a share of them such as 0.5%",
                "--source images:x --retries -1               | in [0, 1000000]",
                "--source images:x --seed many                | --seed"
            })
    void stream_withWrongFlags_endsWithStatusTwoAndOneLine(String flags, String says) {
        Cli run = Cli.stream(flags.strip());

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err().lines()).singleElement().asString().contains(says);
    }

    @Test
    void stream_ofAMissingFolder_endsWithStatusOneAndOneLine() {
        assertFails(Cli.stream("--source images:" + folder.resolve("none")), "none");
    }

    @Test
    void stream_ofAnEmptyFolder_endsWithStatusOneAndOneLine() {
        assertFails(Cli.stream("--source images:" + folder), folder.toString());
    }

    @Test
    void stream_ofAFileAsFolder_endsWithStatusOneAndOneLine() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "text");

        assertFails(Cli.stream("--source images:" + file), file.toString());
    }

    @Test
    void stream_ofRecordsThatDoNotFitTheFile_saysHowManyBytesAreOver() throws IOException {
        Path file = Files.write(folder.resolve("records.bin"), new byte[1000]);

        assertFails(Cli.stream("--source records:" + file + ",300"), "100 bytes over");
    }

    @Test
    void stream_withACacheSmallerThanASample_saysHowMuchIsNeeded() throws IOException {
        Path file = Files.write(folder.resolve("records.bin"), new byte[300_000]);

        assertFails(Cli.stream("--source records:" + file + ",150000 --cache-ram 1000B"), "150");
    }

    @Test
    void stream_ofImagesOfDifferentSizes_saysWhatToDo() {
        PictureFolder.write(folder.resolve("train"), 10).blockLast();

        assertFails(
                Cli.stream("--source images:" + folder.resolve("train")),
                "bring them to one shape before batching, images with --resize, or pad with --pad");
    }

    @Test
    void stream_ofImagesOfDifferentSizes_namesTheirFiles() {
        PictureFolder.write(folder.resolve("train"), 10).blockLast();

        Cli run = Cli.stream("--source images:" + folder.resolve("train") + " --no-shuffle");

        assertThat(run.err())
                .containsPattern("sample 0 \\(class-\\d+/\\S+\\.jpg\\) is .*, sample \\d+ \\(class-\\S+\\.jpg\\) is ");
    }

    @Test
    void stream_ofNumbersThatAreText_namesTheColumnWithAType() throws IOException {
        Path table = Files.writeString(folder.resolve("rides.csv"), "company,fare\nab,1.5\ncd,10.25\n");

        assertFails(Cli.stream("--source csv:" + table), "give a column of numbers its type, as in #fare:float");
        assertFails(Cli.stream("--source csv:" + table + "#fare=0"), "say what it is (fare:float=0)");
        assertThat(Cli.run("show", "csv:" + table).out())
                .contains("a column of numbers needs a type (int, float, double, bool), as in csv:" + table
                        + "#fare:float");
        assertThat(Cli.run("show", "csv:" + table + "#fare:float").out()).doesNotContain("needs a type");
    }

    /** The pictures cannot be loaded: whoever looks at one first says something else. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "crop=200                | cannot crop 200 × 200 out of 96 × 96",
                "flip,crop=90x97         | cannot crop 90 × 97 out of 96 × 96",
                "crop=97:pad=96:reflect  | cannot mirror 96 pixels around an image of 96 × 96",
                "erase=1:value=1/2       | cannot erase with 2 values",
                "normalise=0.5/0.5:1/1   | cannot normalise"
            })
    void augment_thatNoImageOfTheSizeTakes_isRefusedBeforeOneIsLoaded(String augment, String says) throws IOException {
        Files.writeString(Files.createDirectories(folder.resolve("bad/a")).resolve("x.jpg"), "no picture");

        Cli run = Cli.stream("--source images:" + folder.resolve("bad") + " --resize 96 --augment " + augment);

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err().lines())
                .singleElement()
                .asString()
                .contains("--augment " + augment + " does not go with --resize 96: ")
                .contains(says);
    }

    @Test
    void help_ofStream_hasTheWordsOfAugment() {
        assertThat(Cli.run("stream", "--help").out())
                .contains("crop=", "resized-crop=", "flip", "jitter=", "erase=", "normalise=");
    }

    @Test
    void stream_withACacheLargerThanTheMachine_namesTheFlag() throws IOException {
        Path file = Files.write(folder.resolve("records.bin"), new byte[1000]);

        Cli run = Cli.stream("--source records:" + file + ",100 --cache-ram 900000GiB");

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).containsOnlyOnce("or a share of what is free, such as --cache-ram 50%");
    }

    @Test
    void resizeAndAugment_ofRecords_areRefused() throws IOException {
        Path file = Files.write(folder.resolve("records.bin"), new byte[1000]);

        Cli run = Cli.stream("--source records:" + file + ",100 --augment flip");

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains("are for images");
    }

    @Test
    void augment_thatIsUnknown_isRefused() {
        PictureFolder.write(folder.resolve("train"), 10).blockLast();

        Cli run = Cli.stream("--source images:" + folder.resolve("train") + " --augment twirl=3");

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err().lines()).singleElement().asString().contains("twirl");
    }

    @Test
    void help_ofEveryCommand_isPrinted() {
        for (String command : new String[] {"stream", "cache", "demo", "bench"}) {
            assertThat(Cli.run(command, "--help").out()).startsWith("Usage: penstock " + command);
            assertThat(Cli.run("help", command).out()).startsWith("Usage: penstock " + command);
        }
        assertThat(Cli.run().out()).startsWith("Usage: penstock").contains("stream", "cache", "demo", "bench");
        assertThat(Cli.run("--version").out()).startsWith("penstock ");
    }

    @Test
    void flags_ofEveryCommand_areDescribed() {
        assertThat(Main.commandLine().getSubcommands().values().stream()
                        .flatMap(command ->
                                Stream.concat(Stream.of(command), command.getSubcommands().values().stream()))
                        .flatMap(command -> command.getCommandSpec().options().stream()))
                .allSatisfy(flag ->
                        assertThat(flag.description()).as(flag.longestName()).isNotEmpty());
    }

    /** It is a program of its own, which this one knows by name. */
    @ParameterizedTest
    @ValueSource(strings = {"spark-materialize", "train"})
    void commandThatIsBuiltOnDemand_isListedAndSaysHowToHaveIt(String command) {
        assertThat(Cli.run("help").out()).contains(command);
        assertThat(Cli.run("help", command).out())
                .startsWith("Usage: penstock " + command)
                .contains("./penstock " + command + " --help");
        Cli run = Cli.run(command, "--source", "images:x", "--to", "tar:y");
        assertThat(run.status()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err().lines()).singleElement().asString().contains("./penstock " + command);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "streem                             | penstock: unknown command streem: did you mean stream? see penstock",
                "inspect                            | unknown command inspect: did you mean cache inspect? see penstock",
                "insepct                            | unknown command insepct: did you mean cache inspect? see penstock",
                "cache inspct                       | penstock cache: unknown command inspct: did you mean inspect? see",
                "spark                              | unknown command spark: did you mean spark-materialize? see",
                "xyz                                | penstock: unknown command xyz; there are stream, explain, cache,",
                "--versoin                          | penstock: unknown flag --versoin: did you mean --version? see",
                "stream --sorce images:x            | penstock stream: unknown flag --sorce: did you mean --source? see",
                "stream --source images:x --bacth 3 | unknown flag --bacth: did you mean --batch? see penstock stream",
                "stream --source images:x --batch-size=3 | unknown flag --batch-size: did you mean --batch? see",
                "stream --source images:x --disk-cache y | unknown flag --disk-cache: did you mean --cache-disk? see",
                "stream --source images:x --cacheram=1 | unknown flag --cacheram: did you mean --cache-ram? see",
                "stream --source images:x --shuffle | unknown flag --shuffle: did you mean --no-shuffle? see",
                "fit --source csv:x --to y          | fit: unknown flag --source: its value stands without it; see penstock",
                "cache inspect --dir=x              | unknown flag --dir: its value stands without it; see penstock cache",
                "stream --source images:x --zzz     | penstock stream: unknown flag --zzz; see penstock stream --help",
                "stream --source images:x stray     | unexpected argument stray; see penstock stream --help"
            })
    void word_thatIsUnknown_isRefusedWithTheNearest(String line, String says) {
        Cli run = Cli.run(line.strip().split(" "));

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err().lines()).singleElement().asString().contains(says);
    }

    @Test
    void source_withoutAKind_isOfferedWithOne() throws IOException {
        Path zarr = Files.createDirectory(folder.resolve("store"));
        Files.writeString(zarr.resolve("zarr.json"), "{}");

        assertThat(Cli.stream("--source " + folder).err())
                .contains("did you mean images:" + folder + "? the sources are");
        assertThat(Cli.stream("--source " + zarr).err()).contains("did you mean zarr:" + zarr + "?");
        assertThat(Cli.stream("--source " + folder.resolve("a.tar")).err()).contains("did you mean tar:" + folder);
    }

    private static void assertFails(Cli run, String says) {
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.err().lines()).singleElement().asString().contains(says);
    }

    /** The JDK's message of such a failure is the path alone. */
    @ParameterizedTest
    @ValueSource(strings = {"--cache-slots nowhere/slots,1MiB", "--resume-file nowhere/token"})
    void stream_toAFolderThatIsMissing_saysSo(String flags) throws IOException {
        Path records = Files.write(folder.resolve("r.bin"), new byte[1000]);

        Cli run = Cli.stream("--source records:" + records + ",100 " + flags);

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err()).contains(": no such file or folder").hasLineCount(1);
    }
}

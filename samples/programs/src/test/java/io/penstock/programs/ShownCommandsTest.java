package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.penstock.cli.Cli;
import io.penstock.cli.Main;
import io.penstock.pictures.PictureFolder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/**
 * The commands that README.md and the pages of docs show. Those that end soon run on small fixtures. For the others the
 * command line must accept the flags. Commands of modules that are not on the class path accept all.
 */
class ShownCommandsTest {

    /** Servers, benchmarks, commands of other modules and other machines: they are only parsed. */
    private static final Pattern NOT_HERE =
            Pattern.compile("(help|serve|serve-files|watch|bench|train|spark-materialize)\\b.*"
                    + "|.*(--page|--metrics-port|redis|https?:|s3:|@token.json).*");

    /** Docker's, the JVM's, torchrun's, and those of commands of other modules. */
    private static final Set<String> FLAGS_OF_OTHERS =
            Set.of("--add-opens", "--no-python", "--shm-size", "--tasks", "--threads");

    private static final int PICTURES = 20;
    private static final int STEP_TWELVE = 13 * 64;

    /** What stands for what in the shown commands; the first that matches counts. */
    private static final Map<Pattern, String> FIXTURES = new LinkedHashMap<>();

    @TempDir
    private static Path folder;

    @BeforeAll
    static void make() throws IOException {
        Path train = Files.createDirectory(folder.resolve("train"));
        PictureFolder.write(train, PICTURES).blockLast();
        linkOften(train, folder.resolve("many"));
        Files.write(folder.resolve("r.bin"), new byte[8 * 150_528]);
        Files.writeString(folder.resolve("lines.txt"), "one\ntwo\n");
        zarr(folder.resolve("store/array"));
        Files.writeString(folder.resolve("train.jsonl"), "{\"answer\":\"four\"}\n{\"answer\":\"2 + 2 is four\"}\n");
        String images = "--source images:" + train + " --resize 224";
        done("materialize " + images + " --to tar:" + folder.resolve("shards"));
        for (String cache : List.of("cache", "scratch", "shm")) {
            done("materialize " + images + " --to disk:" + folder.resolve(cache) + ",64MiB");
        }
        put("(images:)(?:DIR|photos|more|train|/tmp/penstock-demo-\\d+)", "$1" + train);
        put("(records:)(?:FILE|r\\.bin)(,.*)", "$1" + folder.resolve("r.bin") + "$2");
        put("npz:scenes.npz", "npz:" + scenes(folder.resolve("scenes.npz")));
        put("text:FILE", "text:" + folder.resolve("lines.txt"));
        put("jsonl:train.jsonl", "jsonl:" + folder.resolve("train.jsonl"));
        put("zarr:STORE#ARRAY", "zarr:" + folder.resolve("store") + "#array");
        put("tar:SHARDS", "tar:" + folder.resolve("shards"));
        put("redis:URI", "redis:redis://127.0.0.1:6379?name=train");
        put("tar:OUT", "tar:" + folder.resolve("out"));
        put("(disk:)?CACHE(,.*)?", "$1" + folder.resolve("cache") + "$2");
        put("/scratch/cache(,.*)?", folder.resolve("scratch") + "$1");
        put("/dev/shm/cache(,.*)?", folder.resolve("shm") + "$1");
        put("/scratch/tokens", folder.resolve("tokens").toString());
        put("train/cat/7.jpg", "7");
        put("DIR", train.toString());
        put("N", "1");
    }

    private static void put(String pattern, String replacement) {
        FIXTURES.put(Pattern.compile(pattern), replacement);
    }

    private static void done(String command) {
        Cli run = Cli.run(command.split(" "));
        assertThat(run.status()).as("%s: %s", command, run.err()).isZero();
    }

    /** The same pictures under many names, which cost nothing. */
    private static void linkOften(Path pictures, Path many) throws IOException {
        try (Stream<Path> files = Files.walk(pictures)) {
            List<Path> originals = files.filter(Files::isRegularFile).toList();
            for (int i = 0; i < STEP_TWELVE; i++) {
                Path original = originals.get(i % originals.size());
                Path name = many.resolve(pictures.relativize(original)).resolveSibling(i + ".jpg");
                Files.createDirectories(name.getParent());
                Files.createLink(name, original);
            }
        }
    }

    /** Two rows of four bytes, each a chunk. */
    private static void zarr(Path array) throws IOException {
        Files.createDirectories(array);
        Files.writeString(array.resolve(".zarray"), """
                {"zarr_format":2,"shape":[2,4],"chunks":[1,4],"dtype":"|u1","order":"C",
                 "compressor":null,"fill_value":0,"filters":null}
                """);
        Files.write(array.resolve("0.0"), new byte[4]);
        Files.write(array.resolve("1.0"), new byte[4]);
    }

    /** Two pictures of 64 × 64 pixels with their masks. */
    private static Path scenes(Path file) throws IOException {
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(file))) {
            for (String array : List.of("pixels(2, 64, 64, 3)", "mask(2, 64, 64)")) {
                String shape = array.substring(array.indexOf('('));
                String header = "{'descr': '|u1', 'fortran_order': False, 'shape': %s}".formatted(shape);
                out.putNextEntry(new ZipEntry(array.replace(shape, ".npy")));
                out.write("\u0093NUMPY\1\0%c\0%s"
                        .formatted(header.length(), header)
                        .getBytes(StandardCharsets.ISO_8859_1));
                out.write(new byte[2 * 64 * 64 * (shape.endsWith("3)") ? 3 : 1)]);
            }
        }
        return file;
    }

    static Stream<ShownCommand> commands() throws IOException {
        return Document.all().stream().flatMap(document -> ShownCommand.of(document).stream());
    }

    static Stream<ShownCommand> wholeCommands() throws IOException {
        return commands().filter(command -> !command.isSynopsis());
    }

    static Stream<ShownCommand> synopses() throws IOException {
        return commands().filter(ShownCommand::isSynopsis);
    }

    @ParameterizedTest
    @MethodSource("wholeCommands")
    void command_thatAPageShows_isAcceptedAndRuns(ShownCommand command) {
        String[] words = onFixtures(command);

        if (NOT_HERE.matcher(command.line()).matches()) {
            assertThatCode(() -> Main.commandLine().parseArgs(words)).doesNotThrowAnyException();
        } else {
            Cli run = Cli.run(words);
            assertThat(run.status()).as(run.err()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("synopses")
    void synopsis_ofACommand_hasItsFlags(ShownCommand command) {
        CommandLine found = subcommand(command.words());

        assertThat(found.getParent() == null).isEqualTo(command.words().get(0).equals("COMMAND"));
        if (!found.isUnmatchedArgumentsAllowed()) {
            assertThat(found.getCommandSpec().optionsMap().keySet()).containsAll(command.flags());
        }
    }

    /** Training's flags are those of a module that is not on the class path. */
    @Test
    void flags_inTheText_areThoseOfACommand() throws IOException {
        Set<String> flags = new TreeSet<>(FLAGS_OF_OTHERS);
        addFlags(Main.commandLine(), flags);

        for (Document document : Document.all()) {
            if (!document.toString().equals("docs/engines.md")) {
                assertThat(flags).as(document.toString()).containsAll(ShownCommand.flagsInText(document));
            }
        }
    }

    private static void addFlags(CommandLine command, Set<String> flags) {
        flags.addAll(command.getCommandSpec().optionsMap().keySet());
        command.getSubcommands().values().forEach(subcommand -> addFlags(subcommand, flags));
    }

    @Test
    void commands_areFound() throws IOException {
        assertThat(wholeCommands()).hasSizeGreaterThan(40);
        assertThat(wholeCommands()
                        .filter(command -> !NOT_HERE.matcher(command.line()).matches()))
                .hasSizeGreaterThan(15);
        assertThat(synopses()).hasSizeGreaterThan(10);
    }

    private static String[] onFixtures(ShownCommand command) {
        List<String> words = new ArrayList<>();
        for (String word : command.words()) {
            words.add(FIXTURES.entrySet().stream()
                    .filter(fixture -> fixture.getKey().matcher(word).matches())
                    .findFirst()
                    .map(fixture -> replace(word, fixture.getKey(), fixture.getValue()))
                    .orElse(word));
        }
        if (words.get(0).equals("explain")) {
            words.replaceAll(word -> word.startsWith("images:") ? "images:" + folder.resolve("many") : word);
        }
        return words.toArray(String[]::new);
    }

    private static String replace(String word, Pattern pattern, String replacement) {
        return pattern.matcher(word).replaceFirst(replacement);
    }

    private static CommandLine subcommand(List<String> words) {
        CommandLine command = Main.commandLine();
        for (String word : words) {
            CommandLine next = command.getSubcommands().get(word);
            if (next == null) {
                break;
            }
            command = next;
        }
        return command;
    }
}

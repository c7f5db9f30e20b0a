package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.Cli;
import io.penstock.pictures.PictureFolder;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A class path that somebody made by hand lacks a class, which a thread of a reader, a worker or a writer meets first: the
 * command ends and names it. Each of these commands waited for ever.
 */
class MissingClassesTest {

    private static final long HANG_SECONDS = 60;

    @TempDir
    private static Path folder;

    /** Loads all classes of this house itself, but for one. */
    private static final class Lacking extends URLClassLoader {

        private final String missing;

        Lacking(String missing) {
            super(classPath(), MissingClassesTest.class.getClassLoader());
            this.missing = missing;
        }

        private static URL[] classPath() {
            return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                    .map(place -> {
                        try {
                            return Path.of(place).toUri().toURL();
                        } catch (MalformedURLException e) {
                            throw new IllegalArgumentException(place, e);
                        }
                    })
                    .toArray(URL[]::new);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.equals(missing)) {
                throw new ClassNotFoundException(name);
            }
            if (!name.startsWith("io.penstock.")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? findClass(name) : loaded;
            }
        }
    }

    @BeforeAll
    static void make() throws IOException {
        PictureFolder.write(folder.resolve("pictures"), 20).blockLast();
        Path array = Files.createDirectories(folder.resolve("store/array"));
        Files.writeString(array.resolve(".zarray"), """
                {"zarr_format":2,"shape":[2,4],"chunks":[1,4],"dtype":"|u1","order":"C",
                 "compressor":null,"fill_value":0,"filters":null}
                """);
        Files.write(array.resolve("0.0"), new byte[4]);
        Files.write(array.resolve("1.0"), new byte[4]);
        Files.write(
                folder.resolve("lines.jsonl"),
                IntStream.range(0, 6)
                        .mapToObj("{\"a\":\"%d green bottles hang on the wall\"}"::formatted)
                        .toList());
        Files.write(
                folder.resolve("rows.csv"),
                IntStream.range(-1, 60)
                        .mapToObj(row -> row < 0 ? "a,b" : row + "," + 3 * row)
                        .toList());
    }

    @ParameterizedTest
    @CsvSource({
        "stream --source zarr:store#array, zarr.MetadataV2",
        "stream --source zarr:store#array, zarr.Regions",
        "stream --source zarr:store#array, zarr.ChunkReader",
        "materialize --source images:pictures --resize 16 --to tar:out, write.Writing",
        "materialize --source images:pictures --resize 16 --to tar:out, pipeline.SelectedDataset",
        "stream --source jsonl:lines.jsonl#a --batch 1 --without-duplicates near=0.9, duplicate.Likeness$Bands",
        "'stream --source csv:rows.csv#a:float,b:float"
                + " --window-rows length=4,horizon=1,order=a,features=b,target=b', table.RowSpans"
    })
    void command_withoutAClassThatItsThreadsNeed_failsAndNamesIt(String command, String missing) throws Exception {
        String[] arguments = command.replaceAll("(zarr:|images:|tar:|jsonl:|csv:)", "$1" + folder + "/")
                .split(" ");
        String name = "io.penstock." + missing;
        try (Lacking classes = new Lacking(name)) {
            FutureTask<String> run = new FutureTask<>(() -> {
                Class<?> cli = classes.loadClass(Cli.class.getName());
                Object ended = cli.getMethod("run", String[].class).invoke(null, (Object) arguments);
                return cli.getMethod("status").invoke(ended) + ": "
                        + cli.getMethod("err").invoke(ended);
            });
            Thread thread = new Thread(run, "command");
            thread.setDaemon(true);
            thread.setContextClassLoader(classes);
            thread.start();

            assertThat(run.get(HANG_SECONDS, TimeUnit.SECONDS))
                    .startsWith("1: ")
                    .contains(name.replace('.', '/'));
        }
    }
}

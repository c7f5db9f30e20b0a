package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.CliProcess;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs that mix, in processes of their own that are killed between two batches and started again. */
@Tag("endurance")
class KilledProgramsTest {

    private static final int NEVER = Integer.MAX_VALUE;

    @TempDir
    private Path folder;

    /** The main method of a program, whose thread stops for ever behind a number of lines of output. */
    static final class Stopping {

        /** Arguments: the program's class, the number of lines, the program's arguments. */
        public static void main(String[] arguments) throws ReflectiveOperationException {
            int last = Integer.parseInt(arguments[1]);
            System.setOut(new PrintStream(new FileOutputStream(FileDescriptor.out), true) {
                private int lines;

                @Override
                public void println(String line) {
                    super.println(line);
                    if (++lines == last) {
                        new Semaphore(0).acquireUninterruptibly();
                    }
                }
            });
            Class.forName(arguments[0]).getMethod("main", String[].class).invoke(null, (Object)
                    new String[] {arguments[2]});
        }
    }

    /** The steps of a program, which is killed when it has printed a number of them. */
    private List<String> steps(Class<?> program, int last) throws IOException, InterruptedException {
        List<String> command = CliProcess.command();
        command.addAll(List.of(Stopping.class.getName(), program.getName(), Integer.toString(last), folder.toString()));
        Path err = folder.resolve("err");
        Process process =
                new ProcessBuilder(command).redirectError(err.toFile()).start();
        List<String> steps = new ArrayList<>();
        try (BufferedReader out = process.inputReader()) {
            for (String line = out.readLine(); line != null; line = steps.size() == last ? null : out.readLine()) {
                if (line.startsWith("epoch ")) {
                    steps.add(line);
                }
            }
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(Files.readString(err)).isEqualTo(last == NEVER ? 0 : 128 + 9);
        return steps;
    }

    @ParameterizedTest
    @ValueSource(classes = {MixPictures.class, MixTexts.class})
    void program_killedBetweenBatches_goesOnWithTheSameOnes(Class<?> program) throws Exception {
        List<String> whole = steps(program, NEVER);
        Files.delete(folder.resolve("checkpoint"));
        Random random = new Random(11);
        List<String> both = new ArrayList<>();

        for (int kill = 0; kill < 2; kill++) {
            both.addAll(steps(program, 5 + random.nextInt(5)));
        }
        both.addAll(steps(program, NEVER));

        assertThat(both).hasSizeGreaterThan(whole.size());
        assertThat(both.stream().distinct().toList()).isEqualTo(whole).hasSizeGreaterThan(15);
    }
}

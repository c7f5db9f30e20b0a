package io.penstock.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.cli.CliProcess;
import io.penstock.cli.Main;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Runs the Python package's own tests, those of PyTorch where a python3 has it. */
class PythonPackageTest {

    private static final Path MODULE =
            Path.of(System.getProperty("penstock.root", "..")).resolve("samples/python");
    private static final List<String> INTERPRETERS = List.of("python3", "/usr/bin/python3");

    /** The tests start JVMs for a few batches each. */
    static final List<String> QUICK_START = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto");

    private static boolean has(String python, String modules) throws IOException, InterruptedException {
        Process asked = new ProcessBuilder("sh", "-c", python + " -c 'import " + modules + "'")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        return asked.waitFor() == 0;
    }

    private static String interpreter() throws IOException, InterruptedException {
        for (String modules : List.of("numpy, torch", "numpy")) {
            for (String python : INTERPRETERS) {
                if (has(python, modules)) {
                    return python;
                }
            }
        }
        return "";
    }

    @Test
    void tests_ofThePackage_pass() throws Exception {
        String python = interpreter();
        assumeTrue(!python.isEmpty(), "this test needs python3 with numpy on the path");
        ProcessBuilder tests =
                new ProcessBuilder(python, "-m", "unittest", "discover", "-s", "tests").redirectErrorStream(true);
        tests.directory(MODULE.toFile());
        List<String> command = CliProcess.command();
        command.addAll(1, QUICK_START);
        command.add(Main.class.getName());
        tests.environment()
                .put(
                        "PENSTOCK_COMMAND",
                        command.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" ")));
        tests.environment().put("PYTHONDONTWRITEBYTECODE", "1");

        Process running = tests.start();
        String said = new String(running.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(running.waitFor()).as(said).isZero();
        assertThat(said).contains("OK");
    }
}

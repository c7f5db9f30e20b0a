package io.penstock.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.CliProcess;
import io.penstock.fault.StoreException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TemporaryFolderTest {

    @TempDir
    private Path temporary;

    /** A program that makes a folder while it ends, as one that a signal reached does. */
    static final class Ending {

        private Ending() {}

        public static void main(String[] args) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                try {
                    TemporaryFolder.make("late-");
                } catch (StoreException e) {
                    System.out.println(e.getMessage());
                }
            }));
        }
    }

    @Test
    void make_afterASignal_leavesNoFolder() throws Exception {
        List<String> command = CliProcess.command();
        command.addAll(List.of("-Djava.io.tmpdir=" + temporary, Ending.class.getName()));

        Process ending = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(ending.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();

        assertThat(ending.waitFor()).isZero();
        assertThat(said).isEqualTo("interrupted before there is a temporary folder");
        assertThat(temporary).isDirectoryNotContaining(path -> path.toFile().isDirectory());
    }

    @Test
    void close_ofAFolder_removesWhatIsInIt() throws Exception {
        TemporaryFolder folder = TemporaryFolder.make("penstock-test-");
        Path file = Files.writeString(folder.path().resolve("a"), "text");

        folder.close();

        assertThat(file).doesNotExist();
        assertThat(folder.path()).doesNotExist();
    }
}

package io.penstock.write.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnfinishedFileTest {

    @TempDir
    private Path folder;

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }

    @Test
    void unfinishedFiles_ofOneProcess_areLeftAloneByAnother() throws Exception {
        Path target = folder.resolve("shard.tar");
        try (UnfinishedFile first = UnfinishedFile.of(target);
                UnfinishedFile second = UnfinishedFile.of(target)) {
            List<Path> before = files();
            Process other = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            Another.class.getName(),
                            target.toString())
                    .inheritIO()
                    .start();

            assertThat(other.waitFor()).isZero();
            assertThat(first).isNotSameAs(second);
            assertThat(before).hasSize(2);
            assertThat(files()).isEqualTo(before);
        }

        assertThat(files()).isEmpty();
    }

    @Test
    void sweepAll_ofWhatADeadWriterLeft_removesItAndNothingElse() throws IOException {
        String dead = ".shard-000215.tar.%s-%s.part".formatted(UUID.randomUUID(), UUID.randomUUID());
        Files.write(folder.resolve(dead), new byte[10]);
        Files.write(folder.resolve("shard-000215.tar"), new byte[10]);
        Files.write(folder.resolve(".mine.part"), new byte[10]);
        try (UnfinishedFile own = UnfinishedFile.of(folder.resolve("other.tar"))) {
            UnfinishedFile.sweepAll(folder);

            assertThat(own).isNotNull();
            assertThat(files()).hasSize(3).doesNotContain(folder.resolve(dead));
        }
        assertThat(files()).containsExactly(folder.resolve(".mine.part"), folder.resolve("shard-000215.tar"));
    }

    /** Begins the same file, and gives it up. */
    static final class Another {

        private Another() {}

        public static void main(String[] args) {
            UnfinishedFile.of(Path.of(args[0])).close();
        }
    }
}

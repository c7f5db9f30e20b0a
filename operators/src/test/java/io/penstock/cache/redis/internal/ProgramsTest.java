package io.penstock.cache.redis.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProgramsTest {

    @TempDir
    Path directory;

    private Path program(String folder, String name) throws IOException {
        Path file = Files.createDirectories(directory.resolve(folder)).resolve(name);
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        return file;
    }

    private List<String> paths() {
        return List.of(directory.resolve("a") + ":" + directory.resolve("b"), directory.resolve("usual") + "");
    }

    @Test
    void find_ofTwoNames_givesTheFirstThatThereIs() throws IOException {
        Path valkey = program("a", "valkey-server");

        assertThat(Programs.find(paths(), "redis-server", "valkey-server")).contains(valkey);

        Path redis = program("usual", "redis-server");
        assertThat(Programs.find(paths(), "redis-server", "valkey-server")).contains(redis);
    }

    @Test
    void find_inTwoFolders_prefersThePath() throws IOException {
        program("usual", "valkey-server");
        Path ours = program("b", "valkey-server");

        assertThat(Programs.find(paths(), "valkey-server")).contains(ours);
    }

    @Test
    void find_ofAFolderOrAFileThatCannotRun_isEmpty() throws IOException {
        Files.createDirectories(directory.resolve("a/valkey-server"));
        Files.createFile(Files.createDirectories(directory.resolve("b")).resolve("valkey-server"));

        assertThat(Programs.find(paths(), "valkey-server")).isEmpty();
    }
}

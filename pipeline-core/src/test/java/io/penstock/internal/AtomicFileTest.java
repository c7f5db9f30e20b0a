package io.penstock.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AtomicFileTest {

    @TempDir
    Path directory;

    @Test
    void write_overAnotherFile_replacesItAndLeavesNothingBeside() throws IOException {
        Path file = directory.resolve("file");
        Files.writeString(file, "before, and longer");

        AtomicFile.write(file, "after");

        assertThat(file).hasContent("after");
        assertThat(directory).isDirectoryContaining(path -> path.equals(file));
        assertThat(directory.toFile().list()).hasSize(1);
    }

    @Test
    void write_whereAKilledWriterLeftItsFile_removesItAfterAnHour() throws IOException {
        Path old = Files.createFile(directory.resolve(".file." + UUID.randomUUID() + ".new"));
        Path young = Files.createFile(directory.resolve(".file." + UUID.randomUUID() + ".new"));
        Path another = Files.createFile(directory.resolve(".file.other." + UUID.randomUUID() + ".new"));
        for (Path file : List.of(old, another)) {
            Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(Duration.ofMinutes(61))));
        }

        AtomicFile.write(directory.resolve("file"), "text");

        assertThat(old).doesNotExist();
        assertThat(young).exists();
        assertThat(another).exists();
    }

    @Test
    void write_whereAFolderIs_failsAndLeavesNothingBeside() throws IOException {
        Path folder = Files.createDirectory(directory.resolve("folder"));
        Files.createFile(folder.resolve("inside"));

        assertThatThrownBy(() -> AtomicFile.write(folder, "text")).isInstanceOf(IOException.class);

        assertThat(directory.toFile().list()).hasSize(1);
    }

    @Test
    void write_withPermissions_makesTheFileWithThem() throws IOException {
        Path file = directory.resolve("file");
        var ownerOnly = PosixFilePermissions.fromString("rw-------");

        AtomicFile.write(file, "secret", PosixFilePermissions.asFileAttribute(ownerOnly));

        assertThat(Files.getPosixFilePermissions(file)).isEqualTo(ownerOnly);
    }

    @Test
    void write_besideUnderANameThatIsTaken_goesOn() throws IOException {
        Path beside = directory.resolve("file.new");
        Files.writeString(beside, "left by a process that was killed");

        AtomicFile.write(directory.resolve("file"), beside, new byte[] {'x'});

        assertThat(directory.resolve("file")).hasContent("x");
        assertThat(beside).doesNotExist();
    }
}

package io.penstock.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.store.internal.FileState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileStateTest {

    private static final long SECOND = 1_000_000_000;

    @TempDir
    private Path folder;

    private static FileState changedAt(long modified, long changed) {
        return new FileState(FileState.Kind.FILE, 1, modified, changed, 1);
    }

    @Test
    void unsettledNanos_ofAFileChangedJustNow_isTheRestOfTheTick() {
        long at = 100 * SECOND + 123_456_789;

        assertThat(changedAt(at, at).unsettledNanos(at)).isEqualTo(20_000_000);
        assertThat(changedAt(at, at).unsettledNanos(at + 15_000_000)).isEqualTo(5_000_000);
        assertThat(changedAt(SECOND, at).unsettledNanos(at + 15_000_000)).isEqualTo(5_000_000);
        assertThat(changedAt(at, at).unsettledNanos(at - 1)).isEqualTo(20_000_001); // a clock that is read in between
        assertThat(changedAt(at, at).unsettledNanos(at + 20_000_000)).isZero();
    }

    @Test
    void unsettledNanos_whereTimesAreWholeSeconds_isTwoOfThemAtMost() {
        long at = 100 * SECOND;

        assertThat(changedAt(at, at).unsettledNanos(at + SECOND)).isEqualTo(SECOND);
        assertThat(changedAt(at, at).unsettledNanos(at + 2 * SECOND)).isZero();
    }

    @Test
    void unsettledNanos_ofAFileFromTheFuture_isNothing() {
        long at = 100 * SECOND + 1;

        assertThat(changedAt(at, at).unsettledNanos(at - 60 * SECOND)).isZero();
        assertThat(changedAt(Long.MAX_VALUE, at).unsettledNanos(0)).isZero();
    }

    @Test
    void of_fileWhoseTimeWasSetBack_isAnotherState() throws IOException {
        Path file = Files.writeString(folder.resolve("f"), "one");
        FileTime time = FileTime.from(Instant.parse("2026-01-02T03:04:05Z"));
        Files.setLastModifiedTime(file, time);
        FileState before = FileState.of(file);

        Files.writeString(file, "two");
        Files.setLastModifiedTime(file, time);
        FileState after = FileState.of(file);

        assertThat(after).isNotEqualTo(before);
        assertThat(after.isAsListed(before.size(), before.modified())).isTrue();
    }

    @Test
    void read_openFileWhoseAttributesChange_goesOn() throws IOException {
        Path file = Files.writeString(folder.resolve("f"), "one");
        try (FileStore store = FileStore.open(folder)) {
            StoreEntry entry = store.entry(file);
            store.read(entry, 0, 1).block();

            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--------"));
            Files.createLink(folder.resolve("g"), file);

            assertThat(store.read(entry, 1, 1).block().get(0)).isEqualTo((byte) 'n');
            assertThat(store.files().size()).isEqualTo(1);
        }
    }
}

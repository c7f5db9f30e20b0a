package io.penstock.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeLockTest {

    @TempDir
    Path directory;

    private NodeLock open() throws IOException {
        return Objects.requireNonNull(NodeLock.open(directory.resolve("locks"), directory.resolve("guard")));
    }

    @Test
    void open_whileThisJvmHasItOpen_isRefusedUntilItIsClosed() throws IOException {
        NodeLock first = open();

        assertThat(NodeLock.open(directory.resolve("locks"), directory.resolve("guard")))
                .isNull();

        first.close();
        open().close();
    }

    @Test
    void shared_byTwoInThisJvm_keepsItsLocksUntilBothHaveClosed() throws IOException {
        Path file = directory.resolve("shared");
        try (NodeLock first = NodeLock.shared(file)) {
            NodeLock second = NodeLock.shared(Files.createSymbolicLink(directory.resolve("link"), file));
            FileLock held = Objects.requireNonNull(first.tryLock(7, false));

            assertThat(second.tryLock(7, false)).isNull();
            second.close();
            second.close();

            assertThat(second.channel().isOpen()).isTrue();
            assertThat(held.isValid()).isTrue();
        }
        try (NodeLock again = NodeLock.shared(file)) {
            assertThat(again.tryLock(7, false)).isNotNull();
        }
    }

    @Test
    void tryLock_ofAByteThatIsLocked_isNullUntilItIsReleased() throws IOException {
        try (NodeLock locks = open()) {
            FileLock held = Objects.requireNonNull(locks.tryLock(7, false));

            assertThat(locks.tryLock(7, false)).isNull();
            assertThat(locks.tryLock(8, false)).isNotNull();

            held.release();
            assertThat(locks.tryLock(7, false)).isNotNull();
        }
    }

    @Test
    void lock_whileAnotherThreadHasIt_waitsForItsRelease() throws Exception {
        try (NodeLock locks = open()) {
            FileLock held = locks.lock(0);
            FutureTask<FileLock> other = new FutureTask<>(() -> locks.lock(0));
            new Thread(other, "waits").start();
            assertThat(other.isDone()).isFalse();

            held.release();

            assertThat(other.get(300, TimeUnit.SECONDS).isValid()).isTrue();
        }
    }
}

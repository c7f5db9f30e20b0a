package io.penstock.cli.console;

import io.penstock.fault.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A folder that is gone afterwards, also after Ctrl-C. */
public final class TemporaryFolder implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(TemporaryFolder.class);
    private static final long GRACE_MILLIS = 900;

    private final Path path;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread hook = new Thread(this::giveUp, "penstock-temporary-folder");
    private volatile boolean givenUp;

    private TemporaryFolder(Path path) {
        this.path = path;
    }

    public static TemporaryFolder make(String prefix) {
        try {
            TemporaryFolder folder = new TemporaryFolder(Files.createTempDirectory(prefix));
            Runtime.getRuntime().addShutdownHook(folder.hook);
            return folder;
        } catch (IOException e) {
            throw new StoreException("cannot make a temporary folder: " + Reason.of(e), e);
        }
    }

    public Path path() {
        return path;
    }

    /** Whether a signal came, so that filling the folder is of no use any more. */
    public boolean isGivenUp() {
        return givenUp;
    }

    /** What a signal does: whoever uses the folder gets a moment to end, so that files are not taken from under it. */
    private void giveUp() {
        givenUp = true;
        try {
            if (!closed.await(GRACE_MILLIS, TimeUnit.MILLISECONDS)) {
                delete();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void delete() {
        try (Stream<Path> files = Files.walk(path)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException | UncheckedIOException e) {
            LOG.warn("cannot remove {}: {}", path, Reason.of(e));
        }
    }

    @Override
    public void close() {
        delete();
        closed.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            return; // going down already: the hook is running
        }
    }
}

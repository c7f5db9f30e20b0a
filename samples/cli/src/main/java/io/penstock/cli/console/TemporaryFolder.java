package io.penstock.cli.console;

import io.penstock.fault.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A folder that is gone afterwards, also after Ctrl-C, unless it is kept. */
public final class TemporaryFolder implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(TemporaryFolder.class);
    private static final long GRACE_MILLIS = 900;

    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread hook = new Thread(this::giveUp, "penstock-temporary-folder");
    private volatile @Nullable Path path;
    private volatile boolean givenUp;
    private volatile boolean kept;

    private TemporaryFolder() {}

    /**
     * Makes a folder where the system has its temporary files.
     * @throws StoreException if it cannot be made, or a signal came
     */
    public static TemporaryFolder make(String prefix) {
        TemporaryFolder folder = new TemporaryFolder();
        try {
            // before there is a folder, so that a signal between the two leaves none
            Runtime.getRuntime().addShutdownHook(folder.hook);
        } catch (IllegalStateException e) {
            throw new StoreException("interrupted before there is a temporary folder", e);
        }
        try {
            folder.path = Files.createTempDirectory(prefix);
            return folder;
        } catch (IOException e) {
            folder.close();
            throw new StoreException("cannot make a temporary folder: " + Reason.of(e), e);
        }
    }

    public Path path() {
        return Objects.requireNonNull(path, "a folder that was made has a path");
    }

    /** Whether a signal came, so that filling the folder is of no use any more. */
    public boolean isGivenUp() {
        return givenUp;
    }

    /** From now on the folder stays, whatever comes. */
    public void keep() {
        kept = true;
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
        Path made = path;
        if (made == null || kept) {
            return;
        }
        try (Stream<Path> files = Files.walk(made)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException | UncheckedIOException e) {
            LOG.warn("cannot remove {}: {}", made, Reason.of(e));
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

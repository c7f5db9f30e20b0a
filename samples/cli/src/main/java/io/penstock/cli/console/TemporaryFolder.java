package io.penstock.cli.console;

import io.penstock.fault.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A folder that is gone afterwards, also after Ctrl-C, unless it is kept. */
public final class TemporaryFolder implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(TemporaryFolder.class);
    private final Interruption interruption = Interruption.watch(this::delete, false);
    private volatile @Nullable Path path;
    private volatile boolean kept;

    private TemporaryFolder() {}

    /**
     * Makes a folder where the system has its temporary files.
     * @throws StoreException if it cannot be made, or a signal came
     */
    public static TemporaryFolder make(String prefix) {
        TemporaryFolder folder = new TemporaryFolder(); // watches before there is one, so that a signal leaves none
        if (folder.isGivenUp()) {
            throw new StoreException("interrupted before there is a temporary folder");
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
        return interruption.interrupted;
    }

    public void keep() {
        kept = true;
    }

    /** After a signal too, once what uses the folder had a moment to end: files are not taken from under it. */
    private void delete() {
        Path made = path;
        if (made == null || kept) {
            return;
        }
        try {
            delete(made);
        } catch (IOException | UncheckedIOException e) {
            LOG.warn("cannot remove {}: {}", made, Reason.of(e));
        }
    }

    /** Deletes a folder and all in it, if it exists. */
    public static void delete(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    @Override
    public void close() {
        delete();
        interruption.close();
    }
}

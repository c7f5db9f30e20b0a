package io.penstock.bench;

import io.penstock.cli.console.TemporaryFolder;
import io.penstock.internal.FileWork;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/** A temporary folder. */
public final class ScratchFolder {

    public interface Work {
        void in(Path folder) throws IOException;
    }

    private ScratchFolder() {}

    /** Runs the work with an empty folder, and deletes the folder, also after Ctrl-C. */
    public static void with(Work work) {
        try (TemporaryFolder folder = TemporaryFolder.make("penstock-bench-")) {
            work.in(folder.path());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static void delete(Path folder) {
        FileWork.run("cannot delete " + folder, () -> TemporaryFolder.delete(folder));
    }
}

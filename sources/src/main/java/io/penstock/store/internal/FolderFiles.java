package io.penstock.store.internal;

import io.penstock.fault.StoreException;
import io.penstock.internal.FileWork;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The paths that lie directly in a folder of our own files. */
public final class FolderFiles {

    private FolderFiles() {}

    /** Whether a file is not as it was written. */
    @FunctionalInterface
    public interface DamageCheck {
        boolean isDamaged(Path file) throws IOException;
    }

    /** The paths whose names match a pattern of the JDK's; none if there is no such folder. */
    public static List<Path> list(Path folder, String names) throws IOException {
        List<Path> found = new ArrayList<>();
        if (Files.isDirectory(folder)) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, names)) {
                files.forEach(found::add);
            } catch (DirectoryIteratorException e) {
                throw e.getCause();
            }
        }
        return found;
    }

    /**
     * The files whose names match a pattern and that are damaged. Reads them all, and blocks.
     * @throws StoreException if one cannot be read
     */
    public static List<Path> damaged(Path folder, String names, DamageCheck check) {
        List<Path> damaged = new ArrayList<>();
        FileWork.run("cannot read " + folder, () -> {
            for (Path file : list(folder, names)) {
                if (check.isDamaged(file)) {
                    damaged.add(file);
                }
            }
        });
        return damaged;
    }
}

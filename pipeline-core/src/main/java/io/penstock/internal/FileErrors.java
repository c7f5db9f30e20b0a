package io.penstock.internal;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** The reason of an I/O failure, to be printed after a path: the JDK's own messages are often just that path. */
public final class FileErrors {

    private FileErrors() {}

    public static String reason(IOException failure) {
        if (failure instanceof NoSuchFileException) {
            return "no such file or folder";
        }
        if (failure instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (failure instanceof NotDirectoryException) {
            return "not a folder";
        }
        if (failure instanceof FileAlreadyExistsException) {
            return "there is a file of this name";
        }
        if (failure instanceof FileSystemException known && known.getReason() != null) {
            String reason = known.getReason();
            return reason.equals("Too many open files")
                    ? "this process has as many files open as it may; raise the limit that ulimit -n shows"
                    : reason;
        }
        return failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
    }
}

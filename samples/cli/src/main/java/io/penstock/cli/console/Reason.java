package io.penstock.cli.console;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.Map;

/** What went wrong, in one line that stands alone. */
public final class Reason {

    /** What the library names as its own methods, and the command line as flags. */
    private static final Map<String, String> FLAGS = Map.of(
            "padShapes()", "--pad",
            "a share of what is free with ofFreeShare", "a share of what is free, such as --cache-ram 50%",
            ", or allow more attempts", "");

    private Reason() {}

    public static String of(Throwable failure) {
        String message = failure.getMessage();
        String line = message == null
                ? ""
                : Terminal.escape(message.replaceAll("\\s+", " ").strip());
        for (Map.Entry<String, String> flag : FLAGS.entrySet()) {
            line = line.replace(flag.getKey(), flag.getValue());
        }
        if (failure instanceof NoSuchFileException) {
            return "no such file: " + line;
        }
        if (failure instanceof AccessDeniedException) {
            return "permission denied: " + line;
        }
        if (failure instanceof OutOfMemoryError) {
            return "out of memory: " + line
                    + "; use a smaller --batch, --in-flight or --cache-ram, or a larger heap (java -Xmx)";
        }
        boolean ownWords = failure instanceof RuntimeException || failure instanceof IOException;
        String name = failure.getClass().getSimpleName();
        return line.isEmpty() ? name : ownWords ? line : name + ": " + line;
    }
}

package io.penstock.cli.console;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** What went wrong, in one line that stands alone. */
public final class Reason {

    /** What the library names as its own methods, as the command line says it: by flags, or not at all. */
    private static final Map<Pattern, String> WORDS = words();

    /** What may be done about a sample that cannot be loaded. */
    public static final String LEAVE_OUT = "; --on-error skip leaves such samples out";

    private Reason() {}

    public static String of(Throwable failure) {
        String message = failure.getMessage();
        String line = message == null
                ? ""
                : Terminal.escape(message.replaceAll("\\s+", " ").strip());
        line = inOwnWords(line);
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

    /** Without methods and parameters of the library. */
    public static String inOwnWords(String message) {
        String line = message;
        for (Map.Entry<Pattern, String> word : WORDS.entrySet()) {
            line = word.getKey().matcher(line).replaceAll(word.getValue());
        }
        return line;
    }

    private static Map<Pattern, String> words() {
        String heap = "use a larger heap, such as PENSTOCK_OPTS=-Xmx8g";
        Map<String, String> words = new LinkedHashMap<>(); // longer ones first
        words.put("padShapes\\(\\)", "--pad");
        words.put("let the rows be sorted", "say sort=yes in --window-rows");
        words.put("images with Resize", "images with --resize");
        words.put("its type by TableOptions\\.type", "its type");
        words.put("withIndices adds", "--with-indices adds");
        words.put(", or allow more attempts", "");
        words.put(
                "(does not fit into this machine .*; give it less)(?!, or a share)",
                "$1, or a share of what is free, such as --cache-ram 50%");
        words.put("\\blower inFlight\\b", "lower --in-flight");
        words.put("tooLong\\(CUT\\) or tooLong\\(SPLIT\\)", "--too-long cut or split");
        words.put("use (ofBytes|memoryBytes)\\b", "give a size in bytes, such as --cache-ram 2GiB");
        words.put("\\((?:fillNulls|type), or (\\S+(?: or \\S+)?) in a flag\\)", "($1)");
        words.put("take fewer slots, smaller batches", "take smaller batches");
        words.put("raise max[A-Z]\\w+, or -Xmx", heap);
        words.put(",? (read ranges, )?or raise max[A-Z]\\w+", "");
        words.put("; (read ranges, or )?raise max[A-Z]\\w+( if it is no decompression bomb)?", "");
        words.put("raise max[A-Z]\\w+ if it is no decompression bomb", "it may be a decompression bomb");
        Map<Pattern, String> patterns = new LinkedHashMap<>();
        words.forEach((library, own) -> patterns.put(Pattern.compile(library), own));
        return patterns;
    }
}

package io.penstock.cli.console;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** What standard output and standard error lead to, and what may be printed there. */
public final class Terminal {

    /** Those of ASCII but tab and newline, DEL, and those of Latin-1, which some terminals obey too. */
    private static final Pattern CONTROL = Pattern.compile("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f]");

    private Terminal() {}

    /**
     * The text with its control characters written as {@code \}{@code u001b}, as JSON writes them. Names of files and
     * messages of servers may hold sequences that a terminal obeys.
     */
    public static String escape(String text) {
        return CONTROL.matcher(text)
                .replaceAll(found -> "\\\\u%04x".formatted((int) found.group().charAt(0)));
    }

    public static void escapeLogs() {
        System.setErr(new PrintStream(System.err, true, StandardCharsets.UTF_8) {
            @Override
            public void print(String text) {
                super.print(escape(String.valueOf(text)));
            }
        });
    }

    /**
     * Whether standard error is a terminal that understands control characters. Java can tell only for standard input
     * and output together; Linux says what each descriptor is.
     */
    public static boolean onStandardError() {
        String kind = System.getenv("TERM");
        if (kind == null || kind.equals("dumb")) {
            return false;
        }
        String target = target(2);
        return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
    }

    /** Whether a descriptor is a pipe or a socket, to which a write fails only once its reader has gone. */
    static boolean isPipe(int descriptor) {
        String target = target(descriptor);
        return target.isEmpty() || target.startsWith("pipe:") || target.startsWith("socket:");
    }

    /** What a descriptor leads to, or nothing where that cannot be told. */
    private static String target(int descriptor) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
        } catch (IOException | UnsupportedOperationException e) {
            return "";
        }
    }
}

package io.penstock.programs;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A command of a page: a line of an indented block, or a span of code, with {@code ./penstock}.
 * @param words of the shell, without the program, a comment and what follows a pipe or a redirection
 */
record ShownCommand(Document document, String line, List<String> words) {

    private static final Pattern BLOCK =
            Pattern.compile("^    .*?\\./penstock (.*(?:\n     +\\[.*)*)$", Pattern.MULTILINE);
    private static final Pattern SPAN = Pattern.compile("`\\./penstock ([^`]+)`");
    private static final Pattern COMMENT = Pattern.compile("\\s+#\\s.*| [&>].*| \\| (?=head|tail).*");
    private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");
    private static final Pattern FLAG_SPAN = Pattern.compile("`(--[a-z-]+)[^`]*`");
    private static final Pattern FLAG = Pattern.compile("--[a-z-]+");

    static List<ShownCommand> of(Document document) {
        return Stream.of(BLOCK, SPAN)
                .flatMap(pattern -> pattern.matcher(document.text()).results())
                .map(found -> COMMENT.matcher(found.group(1)).replaceAll("").strip())
                .map(line -> new ShownCommand(document, line, words(line)))
                .toList();
    }

    /** Flags that spans of code begin with. */
    static List<String> flagsInText(Document document) {
        return FLAG_SPAN
                .matcher(document.text())
                .results()
                .map(span -> span.group(1))
                .toList();
    }

    private static List<String> words(String line) {
        List<String> words = new ArrayList<>();
        for (Matcher word = WORD.matcher(line); word.find(); ) {
            words.add(word.group(1) == null ? word.group() : word.group(1));
        }
        return words;
    }

    /** It names a command or says how to use it: {@code [--port N]}, {@code disk:DIR | tar:DIR}, {@code …}. */
    boolean isSynopsis() {
        return words.size() == 1 || line.contains("[") || line.contains(" | ") || line.contains("…");
    }

    List<String> flags() {
        return FLAG.matcher(line).results().map(flag -> flag.group()).toList();
    }

    @Override
    public String toString() {
        return document + ": " + line.lines().findFirst().orElseThrow();
    }
}

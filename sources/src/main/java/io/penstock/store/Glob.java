package io.penstock.store;

import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * A pattern of file names: {@code *} any run of characters, {@code ?} one, {@code [a-z]} one of a set ({@code [!…]} not),
 * {@code {a,b}} one of several. Works on text, since the JDK's own needs names that the locale can say.
 */
record Glob(String text, Pattern pattern) implements Predicate<String> {

    static boolean isPattern(String name) {
        return name.chars().anyMatch(c -> "*?[{".indexOf(c) >= 0);
    }

    /**
     * Reads a pattern.
     * @throws IllegalArgumentException if a bracket or brace is left open
     */
    static Glob of(String text) {
        StringBuilder regex = new StringBuilder();
        boolean inBraces = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '*' -> regex.append(".*");
                case '?' -> regex.append('.');
                case '[' -> {
                    int end = text.indexOf(']', i + 2);
                    require(end > 0, text, "[");
                    regex.append(set(text.substring(i + 1, end)));
                    i = end;
                }
                case '{' -> {
                    require(!inBraces && text.indexOf('}', i) > 0, text, "{");
                    inBraces = true;
                    regex.append("(?:");
                }
                case '}' -> {
                    regex.append(inBraces ? ")" : "\\}");
                    inBraces = false;
                }
                case ',' -> regex.append(inBraces ? '|' : ',');
                default -> regex.append(Pattern.quote(String.valueOf(c)));
            }
        }
        return new Glob(text, Pattern.compile(regex.toString(), Pattern.DOTALL));
    }

    private static String set(String members) {
        boolean not = members.startsWith("!");
        String escaped = (not ? members.substring(1) : members).replaceAll("([\\\\\\[\\]^&])", "\\\\$1");
        return (not ? "[^" : "[") + escaped + "]";
    }

    private static void require(boolean closed, String text, String open) {
        if (!closed) {
            throw new IllegalArgumentException("pattern has a %s that is not closed: %s".formatted(open, text));
        }
    }

    @Override
    public boolean test(String name) {
        return pattern.matcher(name).matches();
    }

    @Override
    public String toString() {
        return text;
    }
}

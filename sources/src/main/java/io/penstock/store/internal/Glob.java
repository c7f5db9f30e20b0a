package io.penstock.store.internal;

import com.google.re2j.Pattern;
import io.penstock.internal.Arguments;
import java.util.function.Predicate;

/**
 * A pattern of file names: {@code *} any run of characters, {@code ?} one, {@code [a-z]} one of a set ({@code [!…]}
 * not), {@code {a,b}} one of several. Works on text, since the JDK's own needs names that the locale can say; and in
 * time that is linear in the name, however many stars: the JDK's expressions try every way to share a name out among
 * them.
 */
record Glob(String text, Pattern pattern) implements Predicate<String> {

    static boolean isPattern(String name) {
        return name.chars().anyMatch(c -> "*?[{".indexOf(c) >= 0);
    }

    /**
     * Reads a pattern.
     * @throws IllegalArgumentException if a bracket or brace is left open, or a range goes down
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
                    int end = text.indexOf(']', i + (text.startsWith("!", i + 1) ? 3 : 2));
                    require(end > 0, text, "[");
                    regex.append(set(text.substring(i + 1, end), text));
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
                // a surrogate is a character only beside its other half
                default ->
                    regex.append(Character.isSurrogate(c) ? String.valueOf(c) : Pattern.quote(String.valueOf(c)));
            }
        }
        require(!inBraces, text, "{"); // its end may have been part of a set
        return new Glob(text, Pattern.compile(regex.toString(), Pattern.DOTALL));
    }

    private static String set(String members, String text) {
        boolean not = members.startsWith("!");
        int[] all = members.substring(not ? 1 : 0).codePoints().toArray();
        StringBuilder regex = new StringBuilder(not ? "[^" : "[");
        for (int i = 0; i < all.length; i++) {
            int last = i + 2 < all.length && all[i + 1] == '-' ? all[i + 2] : all[i];
            Arguments.refuse(last < all[i], "pattern has a range that goes down, [%s]: %s", members, text);
            regex.append("\\x{%x}-\\x{%x}".formatted(all[i], last));
            i += i + 2 < all.length && all[i + 1] == '-' ? 2 : 0;
        }
        return regex.append(']').toString();
    }

    private static void require(boolean closed, String text, String open) {
        Arguments.refuse(!closed, "pattern has a %s that is not closed: %s", open, text);
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

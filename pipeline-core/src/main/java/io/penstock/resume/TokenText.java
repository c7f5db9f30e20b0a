package io.penstock.resume;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * The part of JSON that a resume token is written in: one object of whole numbers, texts without escapes, and lists of
 * such texts. Anything else is refused.
 */
final class TokenText {

    /** How much of a wrong text a message shows. */
    private static final int SHOWN = 60;

    private final String text;
    private final Map<String, Object> fields = new HashMap<>();
    private int at;

    /** @throws NoSuchElementException if the text is anything else */
    TokenText(String text) {
        this.text = text;
        try {
            object();
        } catch (NumberFormatException | StringIndexOutOfBoundsException e) {
            int end = Math.min(text.length(), at + SHOWN);
            String rest = at >= end ? "the end" : text.substring(at, end) + (end < text.length() ? "…" : "");
            throw new NoSuchElementException("at character %d stands what no token has: %s".formatted(at + 1, rest), e);
        }
    }

    boolean has(String name) {
        return fields.containsKey(name);
    }

    long number(String name) {
        return field(name, Long.class);
    }

    String text(String name) {
        return field(name, String.class);
    }

    List<String> list(String name) {
        return ((List<?>) field(name, List.class)).stream().map(String::valueOf).toList();
    }

    /** @throws NoSuchElementException if no field of this name and type is there */
    private <V> V field(String name, Class<V> type) {
        Object value = fields.get(name);
        if (!type.isInstance(value)) {
            String wanted = type == Long.class ? "a whole number" : type == String.class ? "a text" : "a list";
            throw wrong(name, value, wanted);
        }
        return type.cast(value);
    }

    /** That a field is missing, or has another value than it may. */
    static NoSuchElementException wrong(String field, @Nullable Object found, String wanted) {
        if (found == null) {
            return new NoSuchElementException("it has no \"%s\"".formatted(field));
        }
        String text = String.valueOf(found);
        return new NoSuchElementException("\"%s\" must be %s, was %s"
                .formatted(field, wanted, text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "…"));
    }

    private void object() {
        expect('{');
        if (!found('}')) {
            do {
                String name = word();
                expect(':');
                if (fields.put(name, value()) != null) {
                    throw new NoSuchElementException("\"%s\" is there twice".formatted(name));
                }
            } while (found(','));
            expect('}');
        }
        skipBlanks();
        if (at != text.length()) {
            throw new NumberFormatException("something follows");
        }
    }

    private Object value() {
        skipBlanks();
        return switch (text.charAt(at)) {
            case '"' -> word();
            case '[' -> words();
            default -> wholeNumber();
        };
    }

    private List<String> words() {
        expect('[');
        List<String> words = new ArrayList<>();
        if (!found(']')) {
            do {
                words.add(word());
            } while (found(','));
            expect(']');
        }
        return List.copyOf(words);
    }

    private String word() {
        expect('"');
        int end = text.indexOf('"', at);
        String word = text.substring(at, end); // fails where there is no end
        if (word.indexOf('\\') >= 0) {
            throw new NumberFormatException("escapes are not written");
        }
        at = end + 1;
        return word;
    }

    private long wholeNumber() {
        int from = at;
        while (at < text.length() && (text.charAt(at) == '-' || Character.isDigit(text.charAt(at)))) {
            at++;
        }
        return Long.parseLong(text.substring(from, at));
    }

    private void expect(char wanted) {
        if (!found(wanted)) {
            throw new NumberFormatException("there is something else");
        }
    }

    private boolean found(char wanted) {
        skipBlanks();
        if (at < text.length() && text.charAt(at) == wanted) {
            at++;
            return true;
        }
        return false;
    }

    private void skipBlanks() {
        while (at < text.length() && text.charAt(at) <= ' ') {
            at++;
        }
    }
}

package io.penstock.array;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reads the one kind of Python literal that is a header of NumPy's: {@code {'descr': '<f4', 'fortran_order': False,
 * 'shape': (3, 4), }}. Nothing is evaluated; what is not of this form is refused.
 */
final class PythonLiteral {

    /** What cannot be read, and where. */
    static final class Unreadable extends Exception {
        private static final long serialVersionUID = 1;

        Unreadable(String message) {
            super(message);
        }
    }

    private static final int MOST_DIMS = 64; // NumPy's own

    private final String text;
    private int at;

    private PythonLiteral(String text) {
        this.text = text;
    }

    /** Each key, and its value as it is written: a text without its quotes, everything else with its brackets. */
    static Map<String, String> dictionary(String text) throws Unreadable {
        PythonLiteral literal = new PythonLiteral(text);
        Map<String, String> entries = new TreeMap<>();
        literal.expect('{');
        while (!literal.isNext('}')) {
            String key = literal.string();
            literal.expect(':');
            if (entries.put(key, literal.value()) != null) {
                throw new Unreadable("has \"%s\" twice".formatted(key));
            }
            if (!literal.isNext('}')) {
                literal.expect(',');
            }
        }
        literal.expect('}');
        literal.skipSpace();
        if (literal.at < text.length()) {
            throw literal.unexpected("nothing more");
        }
        return entries;
    }

    /** The numbers of a tuple: {@code ()}, {@code (3,)}, {@code (3, 4)}; Python 2 wrote {@code (3L,)}. */
    static long[] tuple(String text) throws Unreadable {
        PythonLiteral literal = new PythonLiteral(text);
        List<Long> numbers = new ArrayList<>();
        literal.expect('(');
        while (!literal.isNext(')')) {
            numbers.add(literal.number());
            if (numbers.size() > MOST_DIMS) {
                throw new Unreadable("has more than %d axes".formatted(MOST_DIMS));
            }
            if (!literal.isNext(')')) {
                literal.expect(',');
            } else if (numbers.size() == 1) {
                throw literal.unexpected("a comma behind the only number");
            }
        }
        return numbers.stream().mapToLong(Long::longValue).toArray();
    }

    private String value() throws Unreadable {
        skipSpace();
        char first = peek();
        if (first == '\'' || first == '"') {
            return string();
        }
        int start = at;
        if (first == '(' || first == '[') {
            skipBrackets();
        } else {
            while (at < text.length() && Character.isLetterOrDigit(text.charAt(at))) {
                at++;
            }
        }
        if (at == start) {
            throw unexpected("a value");
        }
        return text.substring(start, at);
    }

    private void skipBrackets() throws Unreadable {
        int depth = 0;
        do {
            char c = peek();
            if (c == '\'' || c == '"') {
                string();
                continue;
            }
            depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
            at++;
        } while (depth > 0);
    }

    private String string() throws Unreadable {
        skipSpace();
        char quote = peek();
        int end = quote == '\'' || quote == '"' ? text.indexOf(quote, at + 1) : -1;
        if (end < 0) {
            throw unexpected("a text in quotes");
        }
        String inside = text.substring(at + 1, end);
        if (inside.indexOf('\\') >= 0) {
            throw unexpected("a text without escapes");
        }
        at = end + 1;
        return inside;
    }

    private long number() throws Unreadable {
        skipSpace();
        int start = at;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        if (at == start || at - start > 18) {
            throw unexpected("a number of 1 to 18 digits");
        }
        long number = Long.parseLong(text, start, at, 10);
        if (at < text.length() && text.charAt(at) == 'L') {
            at++;
        }
        return number;
    }

    private void expect(char wanted) throws Unreadable {
        if (!isNext(wanted)) {
            throw unexpected("'" + wanted + "'");
        }
        at++;
    }

    private boolean isNext(char c) {
        skipSpace();
        return at < text.length() && text.charAt(at) == c;
    }

    private char peek() throws Unreadable {
        if (at >= text.length()) {
            throw unexpected("more");
        }
        return text.charAt(at);
    }

    private void skipSpace() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private Unreadable unexpected(String wanted) {
        String found = text.substring(Math.min(at, text.length()), Math.min(at + 12, text.length()));
        return new Unreadable("wanted %s at character %d, found \"%s\"".formatted(wanted, at, found));
    }
}

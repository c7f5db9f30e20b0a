package io.penstock.store.internal;

/** Texts of data as UTF-8. {@code String.getBytes} writes a question mark for half of a surrogate pair, without a word. */
public final class Utf8 {

    private Utf8() {}

    /** Whether a text has half of a surrogate pair, which JSON can say and UTF-8 cannot. */
    public static boolean hasHalfPair(String text) {
        for (int i = 0; i < text.length(); i++) {
            char letter = text.charAt(i);
            if (Character.isSurrogate(letter)) {
                boolean pair = i + 1 < text.length() && Character.isSurrogatePair(letter, text.charAt(i + 1));
                if (!pair) {
                    return true;
                }
                i++;
            }
        }
        return false;
    }
}

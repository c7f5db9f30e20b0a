package io.penstock.cli;

import java.util.Arrays;
import java.util.Collection;
import java.util.stream.Collectors;

/** Finds the word that was probably meant. */
final class Spelling {

    private Spelling() {}

    /** The word nearest to another; empty if none is near. */
    static String nearest(String typed, Collection<String> words) {
        String nearest = "";
        double least = 0.4; // of the letters may differ
        for (String word : words) {
            double distance = distance(typed, word);
            if (distance < least) {
                least = distance;
                nearest = word;
            }
        }
        return nearest;
    }

    /** In [0, 1]. Whole words may be missing or in another order: {@code --batch-size}, {@code --disk-cache}. */
    private static double distance(String typed, String word) {
        if (word.endsWith(" " + typed)) {
            return 0;
        }
        boolean part = typed.startsWith(word + "-")
                || word.startsWith(typed + "-")
                || word.endsWith("-" + typed.replaceFirst("^-+", ""));
        if (part && typed.length() > 3) {
            return 0.1;
        }
        double spelt = (double) edits(typed, word) / Math.max(typed.length(), word.length());
        double ordered = 0.1 + (double) edits(sorted(typed), sorted(word)) / Math.max(typed.length(), word.length());
        String last = word.substring(word.lastIndexOf(' ') + 1);
        double inner = 0.1 + (double) edits(typed, last) / Math.max(typed.length(), last.length());
        return Math.min(spelt, Math.min(ordered, inner));
    }

    private static String sorted(String text) {
        return Arrays.stream(text.replaceFirst("^-+", "").split("[-_]"))
                .sorted()
                .collect(Collectors.joining("-", "--", ""));
    }

    /** Letters to insert, drop, replace or exchange with their neighbour (Damerau, 1964). */
    private static int edits(String from, String to) {
        int[][] edits = new int[from.length() + 1][to.length() + 1];
        for (int i = 0; i <= from.length(); i++) {
            for (int j = 0; j <= to.length(); j++) {
                edits[i][j] = i == 0 || j == 0 ? i + j : edited(edits, from, to, i, j);
            }
        }
        return edits[from.length()][to.length()];
    }

    private static int edited(int[][] edits, String from, String to, int i, int j) {
        boolean same = from.charAt(i - 1) == to.charAt(j - 1);
        int fewest = Math.min(edits[i - 1][j - 1] + (same ? 0 : 1), 1 + Math.min(edits[i - 1][j], edits[i][j - 1]));
        boolean exchanged =
                i > 1 && j > 1 && from.charAt(i - 1) == to.charAt(j - 2) && from.charAt(i - 2) == to.charAt(j - 1);
        return exchanged ? Math.min(fewest, edits[i - 2][j - 2] + 1) : fewest;
    }
}

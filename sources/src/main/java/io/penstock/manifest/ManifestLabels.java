package io.penstock.manifest;

import io.penstock.fault.FormatException;
import io.penstock.store.Manifest;
import io.penstock.store.internal.FileNames;
import io.penstock.store.internal.Utf8;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** The labels of a manifest as numbers. */
final class ManifestLabels {

    private final List<String> words;
    private final Map<String, Integer> numbers = new HashMap<>();

    private ManifestLabels(List<String> words) {
        this.words = words;
        for (int i = 0; i < words.size(); i++) {
            numbers.put(words.get(i), i);
        }
    }

    static ManifestLabels of(Manifest manifest) {
        TreeSet<String> words = new TreeSet<>(FileNames.BY_BYTES);
        String kind = kind(manifest.lines().get(0));
        for (Manifest.Line line : manifest.lines()) {
            if (!kind(line).equals(kind)) {
                throw new FormatException("labels of manifest %s must be of one kind: %s has %s, %s has %s"
                        .formatted(manifest.name(), manifest.lines().get(0).key(), kind, line.key(), kind(line)));
            }
            String word = line.label();
            if (word != null) {
                if (Utf8.hasHalfPair(word)) { // their order is that of their bytes
                    throw new FormatException("label of %s in manifest %s has half of a surrogate pair"
                            .formatted(line.key(), manifest.name()));
                }
                words.add(word);
            }
        }
        return new ManifestLabels(List.copyOf(words));
    }

    private static String kind(Manifest.Line line) {
        return line.label() != null ? "a word" : line.number() >= 0 ? "a number" : "none";
    }

    List<String> words() {
        return words;
    }

    Map<String, Integer> counts(Manifest manifest) {
        TreeMap<Integer, Integer> counts = new TreeMap<>();
        for (Manifest.Line line : manifest.lines()) {
            if (line.label() != null || line.number() >= 0) {
                counts.merge(of(line), 1, Integer::sum);
            }
        }
        Map<String, Integer> named = new LinkedHashMap<>();
        counts.forEach((label, count) -> named.put(words.isEmpty() ? label.toString() : words.get(label), count));
        return Collections.unmodifiableMap(named);
    }

    int of(Manifest.Line line) {
        String word = line.label();
        return word == null ? Math.max(0, line.number()) : numbers.getOrDefault(word, 0);
    }
}

package io.penstock.cache;

import io.penstock.order.internal.Mixing;
import java.util.ArrayList;
import java.util.List;

/**
 * Where an entry came from, in 20 bytes. A persisted tier keeps it, to explain later why a key misses whose value is there
 * under another key. It decides nothing; keys do.
 *
 * @param sample   a hash of the sample's name
 * @param state    16 bits for each word of the source's state of the sample, the first word in the lowest bits; the words from
 *                 the fourth on share the highest
 * @param producer the {@link Producer#id} of the dataset and the stages
 */
public record Provenance(long sample, long state, int producer) {

    /** Where it was not said. */
    public static final Provenance UNKNOWN = new Provenance(0, 0, 0);

    private static final int FIELDS = 4;

    /**
     * The provenance of an entry.
     * @param name     as {@code SampleId.name} has it
     * @param state    as {@code SampleId.state} has it
     * @param producer the {@link Producer#id} of what it went through
     */
    public static Provenance of(String name, List<String> state, int producer) {
        long fields = 0;
        for (int field = 0; field < FIELDS; field++) {
            fields |= hash(wordsOf(state, field)) << (16 * field);
        }
        return new Provenance(Mixing.hash(name), fields, producer);
    }

    private static long hash(List<String> words) {
        long hash = 0;
        for (String word : words) {
            hash = Mixing.fold(hash, Mixing.hash(word));
        }
        return hash & 0xFFFF;
    }

    private static List<String> wordsOf(List<String> state, int field) {
        int from = Math.min(field, state.size());
        return state.subList(from, field == FIELDS - 1 ? state.size() : Math.min(field + 1, state.size()));
    }

    /** Whether both were the sample of one name, in any state and behind any stages. */
    public boolean isOfSameSample(Provenance other) {
        return sample == other.sample && !equals(UNKNOWN) && !other.equals(UNKNOWN);
    }

    /**
     * Which words of a state, the one that this origin was made of, are not those of an earlier origin; one change in
     * 65,536 stays unseen.
     */
    public List<String> changedSince(Provenance earlier, List<String> state) {
        List<String> changed = new ArrayList<>();
        for (int field = 0; field < FIELDS; field++) {
            if ((state() >>> 16 * field & 0xFFFF) != (earlier.state >>> 16 * field & 0xFFFF)) {
                changed.addAll(wordsOf(state, field));
            }
        }
        return changed;
    }
}

package io.penstock.pipeline;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What one sample of a dataset is known by: a key, a name, and the state that decides the key.
 *
 * <p><b>Memory</b>: the key alone; name and state are made when asked for. <b>Threads</b>: immutable.
 */
public final class SampleId {

    private final SampleKey key;
    private final Supplier<String> name;
    private final Supplier<List<String>> state;

    private SampleId(SampleKey key, Supplier<String> name, Supplier<List<String>> state) {
        this.key = key;
        this.name = name;
        this.state = state;
    }

    /** A sample's key, name and state; the suppliers may be called any number of times, on any thread. */
    public static SampleId of(SampleKey key, Supplier<String> name, Supplier<List<String>> state) {
        return new SampleId(key, name, state);
    }

    /** What a sample is known by that has no name of its own: the dataset's state and the index. */
    static SampleId of(Fingerprint dataset, long index) {
        return new SampleId(SampleKey.of(dataset).with(index), () -> "#" + index, dataset::words);
    }

    /** What a cache knows the sample by: another key, another value. */
    public SampleKey key() {
        return key;
    }

    /** What messages and quarantine files call the sample: its path, its file and offset. */
    public String name() {
        return name.get();
    }

    /**
     * What of the source's state decides the key, in words: its folder, its size, its modification time. A persisted
     * cache remembers hashes of them, and so can say which one changed.
     */
    public List<String> state() {
        return state.get();
    }

    /** The same sample behind further stages: another key, the same name and state. */
    public SampleId with(Fingerprint stages) {
        return new SampleId(key.with(stages), name, state);
    }

    SampleId part(int part) {
        return new SampleId(key.with(part), () -> "%s[%d]".formatted(name(), part), state);
    }

    SampleId and(SampleId other) {
        return new SampleId(
                key.with(other.key),
                () -> name() + " and " + other.name(),
                () -> Stream.concat(state().stream(), other.state().stream()).toList());
    }

    /** The sample of a join: it has the left name, and its states say their side. Null where the right side has none. */
    SampleId joined(@Nullable SampleId right) {
        return new SampleId(
                right == null ? key.with(-1) : key.with(right.key),
                name,
                () -> Stream.concat(
                                side("left", state()), side("right", right == null ? List.of("none") : right.state()))
                        .toList());
    }

    /** Two words at most, since provenance tells four apart. */
    private static Stream<String> side(String which, List<String> state) {
        int first = Math.min(1, state.size());
        return Stream.of(state.subList(0, first), state.subList(first, state.size()))
                .filter(words -> !words.isEmpty())
                .map(words -> which + ": " + String.join(", ", words));
    }

    @Override
    public String toString() {
        return name();
    }
}

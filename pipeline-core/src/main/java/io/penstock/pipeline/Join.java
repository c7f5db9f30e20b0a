package io.penstock.pipeline;

import io.penstock.cache.Fingerprint;
import io.penstock.fault.StoreException;
import io.penstock.internal.HeapLimit;
import io.penstock.internal.index.CountFile;
import io.penstock.internal.index.IndexFolder;
import io.penstock.internal.index.Known;
import io.penstock.order.internal.Mixing;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.function.LongFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * How the samples of two datasets find each other: by keys, which are their names unless told. Each left sample gets the
 * first right sample of its key.
 *
 * <p>Immutable; every method returns a copy.
 */
public final class Join {

    private final boolean inner;
    private final @Nullable LongFunction<String> leftKeys;
    private final @Nullable LongFunction<String> rightKeys;
    private final @Nullable Path folder;

    private Join(
            boolean inner,
            @Nullable LongFunction<String> leftKeys,
            @Nullable LongFunction<String> rightKeys,
            @Nullable Path folder) {
        this.inner = inner;
        this.leftKeys = leftKeys;
        this.rightKeys = rightKeys;
        this.folder = folder;
    }

    /** The left samples that have a partner. */
    public static Join inner() {
        return new Join(true, null, null, null);
    }

    /** All left samples; without a partner they get null. */
    public static Join left() {
        return new Join(false, null, null, null);
    }

    /** Other keys than the names, by index: names without their extension, or a column that was read before. */
    public Join by(LongFunction<String> ofLeft, LongFunction<String> ofRight) {
        return new Join(inner, ofLeft, ofRight, folder);
    }

    /** Keeps the index in a folder, as {@link Indexing#keptIn} does. The stage's name must then say what the keys are. */
    public Join keptIn(Path directory) {
        return new Join(inner, leftKeys, rightKeys, directory);
    }

    /**
     * Who goes with whom, as it is kept.
     *
     * @param counts of each left sample its partner and 1, 0 where there is none; then how many right samples have the
     *     key of an earlier one
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Partners(int[] counts) {

        /** Of a left sample, -1 where there is none. */
        int of(long left) {
            return counts[(int) left] - 1;
        }

        /** The left samples that have one. */
        IntStream matched() {
            return IntStream.range(0, counts.length - 1).filter(left -> of(left) >= 0);
        }

        String words(long rightSize) {
            int twins = counts[counts.length - 1];
            BitSet taken = new BitSet();
            matched().forEach(left -> taken.set(of(left)));
            return "%,d left samples without a partner, %,d right ones without, %,d twins on the right"
                    .formatted(counts.length - 1 - matched().count(), rightSize - taken.cardinality() - twins, twins);
        }
    }

    boolean isInner() {
        return inner;
    }

    /** Finds them: those that the folder keeps, or by asking for every key. Blocks if there is a folder. */
    Partners partners(String stage, Stage<?> left, Stage<?> right) {
        if (Math.max(left.size(), right.size()) > HeapLimit.MAX_ARRAY) {
            throw new IllegalArgumentException("cannot join %,d and %,d samples: join slices of the datasets"
                    .formatted(left.size(), right.size()));
        }
        if (folder == null) {
            return found(left, right);
        }
        Fingerprint both = left.fingerprint().with(right.fingerprint());
        try (IndexFolder open = IndexFolder.open(folder, "join " + stage, both)) {
            IntStream.Builder kept = open.read(left.size() + 1, IntStream::builder, IntStream.Builder::accept);
            if (kept != null) {
                return new Partners(kept.build().toArray());
            }
            Partners found = found(left, right);
            CountFile file = open.create();
            for (int i = 0; i < found.counts.length; i++) {
                file.add(i < left.size() ? left.id(i).key().high() : 0, found.counts[i]);
            }
            open.finish(file);
            return found;
        } catch (IOException e) {
            throw new StoreException("cannot keep the index of a join in %s: %s".formatted(folder, e.getMessage()), e);
        }
    }

    private Partners found(Stage<?> left, Stage<?> right) {
        LongFunction<String> ofRight = rightKeys == null ? i -> right.id(i).name() : rightKeys;
        LongFunction<String> ofLeft = leftKeys == null ? i -> left.id(i).name() : leftKeys;
        Known places = new Known();
        int last = (int) left.size();
        int[] counts = new int[last + 1];
        for (int i = 0; i < right.size(); i++) {
            long hash = Mixing.hash(ofRight.apply(i));
            if (places.get(hash) == Known.NOT) {
                places.put(hash, i);
            } else {
                counts[last]++;
            }
        }
        for (int i = 0; i < last; i++) {
            String key = ofLeft.apply(i);
            int partner = places.get(Mixing.hash(key));
            boolean same = partner != Known.NOT && key.equals(ofRight.apply(partner)); // no other key of the same hash
            counts[i] = same ? partner + 1 : 0;
        }
        Partners found = new Partners(counts);
        if (left.size() > 0 && right.size() > 0 && found.matched().findAny().isEmpty()) {
            throw new IllegalArgumentException(
                    "no sample has a partner: keys are such as \"%s\" on the left and \"%s\" on the right"
                            .formatted(ofLeft.apply(0), ofRight.apply(0)));
        }
        return found;
    }
}

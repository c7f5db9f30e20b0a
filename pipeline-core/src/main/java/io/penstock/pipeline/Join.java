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
import java.util.Arrays;
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
     * Who goes with whom.
     *
     * @param rights of each left sample its partner, -1 where there is none
     * @param twins  how many right samples have the key of an earlier one
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Partners(int[] rights, int twins) {

        /** The left samples that have one. */
        IntStream matched() {
            return IntStream.range(0, rights.length).filter(left -> rights[left] >= 0);
        }

        String words(long rightSize) {
            BitSet taken = new BitSet();
            matched().forEach(left -> taken.set(rights[left]));
            return "%,d left samples without a partner, %,d right ones without, %,d twins on the right"
                    .formatted(rights.length - matched().count(), rightSize - taken.cardinality() - twins, twins);
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
                int[] counts = kept.build().toArray();
                int[] rights = IntStream.of(counts)
                        .limit(left.size())
                        .map(count -> count - 1)
                        .toArray();
                return new Partners(rights, counts[rights.length]);
            }
            Partners found = found(left, right);
            try (CountFile file = open.create()) {
                for (int i = 0; i < found.rights.length; i++) {
                    file.add(left.id(i).key().high(), found.rights[i] + 1);
                }
                file.add(0, found.twins);
                open.finish(file);
            }
            return found;
        } catch (IOException e) {
            throw new StoreException("cannot keep the index of a join in %s: %s".formatted(folder, e.getMessage()), e);
        }
    }

    private Partners found(Stage<?> left, Stage<?> right) {
        LongFunction<String> ofRight = rightKeys == null ? i -> right.id(i).name() : rightKeys;
        LongFunction<String> ofLeft = leftKeys == null ? i -> left.id(i).name() : leftKeys;
        Known places = new Known();
        int twins = 0;
        for (int i = 0; i < right.size(); i++) {
            long hash = Mixing.hash(ofRight.apply(i));
            if (places.get(hash) == Known.NOT) {
                places.put(hash, i);
            } else {
                twins++;
            }
        }
        int[] rights = new int[(int) left.size()];
        Arrays.setAll(rights, i -> {
            String key = ofLeft.apply(i);
            int partner = places.get(Mixing.hash(key));
            boolean same = partner != Known.NOT && key.equals(ofRight.apply(partner)); // no other key of the same hash
            return same ? partner : -1;
        });
        Partners found = new Partners(rights, twins);
        if (left.size() > 0 && right.size() > 0 && found.matched().findAny().isEmpty()) {
            throw new IllegalArgumentException(
                    "no sample has a partner: keys are such as \"%s\" on the left and \"%s\" on the right"
                            .formatted(ofLeft.apply(0), ofRight.apply(0)));
        }
        return found;
    }
}

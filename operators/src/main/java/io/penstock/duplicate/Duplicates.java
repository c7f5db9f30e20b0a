package io.penstock.duplicate;

import com.dynatrace.hash4j.hashing.Hashing;
import com.dynatrace.hash4j.similarity.ElementHashProvider;
import com.dynatrace.hash4j.similarity.SimilarityHashPolicy;
import com.dynatrace.hash4j.similarity.SimilarityHashing;
import com.dynatrace.hash4j.similarity.SuperMinHashVersion;
import io.penstock.cache.SampleKey;
import io.penstock.internal.Arguments;
import io.penstock.internal.HeapLimit;
import io.penstock.internal.OptionalLibrary;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Indexing;
import io.penstock.pipeline.Summary;
import io.penstock.tensor.DType;
import io.penstock.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.IntStream;
import reactor.core.publisher.Mono;

/**
 * Finds samples that are equal, or nearly so, and leaves all but one of them out: of a dataset, or of the one to train with
 * what the one to test by has.
 * <pre>{@code
 *  Duplicates<Row> near = Duplicates.nearTexts(0.9, "text", row -> row.tensor("text").toText());
 *  Dataset<Row> once = near.without(rows, indexing).block();
 *  Dataset<Row> clean = near.without(once, test, indexing).block();
 * }</pre>
 *
 * <p>The sample with the smallest {@linkplain io.penstock.pipeline.SampleId#key key} stays: taken by their keys, a sample is
 * left out if it is like one that stays. So the result is the same at any parallelism. Each sample is loaded once for its
 * signature; kept signatures are used again as {@link Dataset#summarise} says. Needs {@code com.dynatrace.hash4j:hash4j}.
 *
 * <p><b>Memory</b>: while it is found, 28 bytes a sample for its key and 16 (equal), 128 (pictures) or about 400 (texts,
 * at 0.9) for its signature and where it is looked up. <b>Threads</b>: immutable.
 */
public final class Duplicates<T> {

    private static final int SHINGLE = 5;
    private static final int CELLS = 9;

    private final Likeness likeness;
    private final String words;
    private final Function<? super T, byte[]> signature;

    private Duplicates(Likeness likeness, String what, String words, Function<? super T, byte[]> signature) {
        OptionalLibrary.HASH4J.require(Duplicates.class);
        this.likeness = likeness;
        this.words = "%s of %s".formatted(words, what);
        this.signature = signature;
    }

    /**
     * Samples whose tensors are equal, by 128 bits of their types and bytes.
     * @param what    names the function, as a stage is named
     * @param content what is compared of a sample: such as the pixels without the label
     */
    public static <T> Duplicates<T> exact(String what, Function<? super T, List<Tensor>> content) {
        return new Duplicates<>(Likeness.exact(), what, "exact", sample -> contentHash(content.apply(sample)));
    }

    /**
     * Texts that share a part of all their runs of five characters (their Jaccard similarity), letter case and white space
     * apart. It is estimated from 128 hashes, with a deviation of {@code sqrt(s (1 - s) / 128)}: 0.03 at 0.9. An estimate
     * may lie a deviation below the threshold. So 95 % of the pairs above it are found or more, and some below it too.
     * @param similarity in [0.5, 1]
     * @param what       names the function
     * @see <a href="https://arxiv.org/abs/1706.05698">Ertl, SuperMinHash, 2017</a>
     */
    public static <T> Duplicates<T> nearTexts(double similarity, String what, Function<? super T, String> text) {
        check(similarity, 0.5);
        SimilarityHashPolicy policy =
                SimilarityHashing.superMinHash(Likeness.COMPONENTS, Byte.SIZE, SuperMinHashVersion.V1);
        return new Duplicates<>(
                Likeness.ofMinHashes(similarity),
                what,
                "near=" + similarity,
                sample -> policy.createHasher().compute(ElementHashProvider.ofValues(shingles(text.apply(sample)))));
    }

    /**
     * Pictures {@code u8[h, w, c]} that get lighter and darker in the same places: of 9 × 9 mean brightnesses, which of two
     * neighbours is the lighter one, 64 bits across and 64 bits down. Sizes and compression do not matter; a picture that is
     * cut, turned or mirrored is another one. All pictures of one colour are alike.
     * @param similarity the share of equal bits, in [0.89, 1]
     * @param what       names the function
     * @see <a href="https://www.hackerfactor.com/blog/index.php?/archives/529-Kind-of-Like-That.html">Krawetz, dHash,
     *     2013</a>
     */
    public static <T> Duplicates<T> nearPictures(double similarity, String what, Function<? super T, Tensor> pixels) {
        check(similarity, 0.89);
        return new Duplicates<>(
                Likeness.ofBits(similarity), what, "near=" + similarity, sample -> gradients(pixels.apply(sample)));
    }

    private static void check(double similarity, double least) {
        Arguments.refuse(
                !(similarity >= least && similarity <= 1), "similarity must be in [%s, 1], was %s", least, similarity);
    }

    /**
     * The dataset without samples that are like others of it.
     * @return fails as {@link Dataset#summarise} does, and with an {@link IllegalArgumentException} if a sample was skipped,
     *     or there are more than an array holds
     */
    public Mono<Dataset<T>> without(Dataset<T> data, Indexing indexing) {
        return signatures(data, new ByteArrayOutputStream(), indexing).map(all -> {
            Likeness.Bands buckets = likeness.new Bands(all.toByteArray());
            BitSet kept = new BitSet();
            for (int sample : byKey(data)) {
                if (!buckets.hasLike(sample)) {
                    buckets.put(sample);
                    kept.set(sample);
                }
            }
            return data.selectIf("without duplicates " + words, index -> kept.get((int) index));
        });
    }

    /** The dataset without samples that are like one of another. Fails as {@link #without(Dataset, Indexing)} does. */
    public Mono<Dataset<T>> without(Dataset<T> data, Dataset<T> other, Indexing indexing) {
        int others = Math.toIntExact(other.size());
        return signatures(other, new ByteArrayOutputStream(), indexing)
                .flatMap(theirs -> signatures(data, theirs, indexing))
                .map(all -> {
                    Likeness.Bands buckets = likeness.new Bands(all.toByteArray());
                    IntStream.range(0, others).forEach(buckets::put);
                    return data.selectIf(
                            "without those of %s, %s"
                                    .formatted(other.fingerprint().hex(), words),
                            index -> !buckets.hasLike(others + (int) index));
                });
    }

    private Mono<ByteArrayOutputStream> signatures(Dataset<T> of, ByteArrayOutputStream before, Indexing indexing) {
        long bytes = before.size() + of.size() * likeness.bytes();
        Arguments.refuse(
                bytes > HeapLimit.MAX_ARRAY,
                "cannot compare %,d samples: their signatures have %,d bytes; compare slices",
                of.size(),
                bytes);
        String stage = "signatures %s of %s".formatted(likeness.words(), words.substring(words.indexOf(" of ") + 4));
        return of.summarise(stage, new Signatures<>(signature), indexing).map(found -> {
            before.writeBytes(found.toByteArray());
            Arguments.refuse(before.size() != bytes, "cannot compare samples of which some were skipped");
            return before;
        });
    }

    /** The signatures of samples one after another, in the order of the samples. */
    private record Signatures<T>(Function<? super T, byte[]> of) implements Summary<T, ByteArrayOutputStream> {

        @Override
        public ByteArrayOutputStream empty() {
            return new ByteArrayOutputStream();
        }

        @Override
        public void add(ByteArrayOutputStream into, T sample) {
            into.writeBytes(of.apply(sample));
        }

        @Override
        public void merge(ByteArrayOutputStream into, ByteArrayOutputStream later) {
            into.writeBytes(later.toByteArray());
        }

        @Override
        public byte[] write(ByteArrayOutputStream signatures) {
            return signatures.toByteArray();
        }

        @Override
        public ByteArrayOutputStream read(byte[] bytes) {
            ByteArrayOutputStream read = new ByteArrayOutputStream(bytes.length);
            read.writeBytes(bytes);
            return read;
        }
    }

    /** The samples in the order of their keys. */
    private static int[] byKey(Dataset<?> data) {
        SampleKey[] keys = new SampleKey[(int) data.size()];
        Arrays.setAll(keys, i -> data.id(i).key());
        Comparator<Integer> high = (a, b) -> Long.compareUnsigned(keys[a].high(), keys[b].high());
        return IntStream.range(0, keys.length)
                .boxed()
                .sorted(high.thenComparing((a, b) -> Long.compareUnsigned(keys[a].low(), keys[b].low())))
                .mapToInt(number -> number)
                .toArray();
    }

    private static byte[] contentHash(List<Tensor> tensors) {
        var hash = Hashing.xxh3_128().hashStream();
        for (Tensor tensor : tensors) {
            hash.putString(tensor.type()).putByteArray(tensor.toByteArray());
        }
        return hash.get().toByteArray();
    }

    private static long[] shingles(String text) {
        String plain = text.toLowerCase(Locale.ROOT).replaceAll("\\s+", " ").strip();
        long[] shingles = new long[Math.max(1, plain.length() - SHINGLE + 1)];
        for (int i = 0; i < shingles.length; i++) {
            long hash = 1;
            for (int at = i; at < Math.min(plain.length(), i + SHINGLE); at++) {
                hash = hash * 0x1_0000_01B3L ^ plain.charAt(at);
            }
            shingles[i] = Hashing.xxh3_64().hashLongToLong(hash);
        }
        return shingles;
    }

    private static byte[] gradients(Tensor pixels) {
        boolean wrong = pixels.dtype() != DType.U8 || pixels.shape().rank() != 3;
        Arguments.refuse(wrong, "a picture must be u8[h, w, c], was %s", pixels.type());
        double[][] cells = cells(pixels);
        BitSet bits = new BitSet(Likeness.BITS);
        for (int y = 0; y < CELLS - 1; y++) {
            for (int x = 0; x < CELLS - 1; x++) {
                bits.set(y * (CELLS - 1) + x, cells[y][x] < cells[y][x + 1]);
                bits.set((CELLS - 1 + y) * (CELLS - 1) + x, cells[y][x] < cells[y + 1][x]);
            }
        }
        return Arrays.copyOf(bits.toByteArray(), Likeness.BITS / Byte.SIZE);
    }

    private static double[][] cells(Tensor pixels) {
        int high = (int) pixels.shape().dim(0);
        int row = (int) (pixels.shape().elements() / high);
        int channels = (int) pixels.shape().dim(2);
        ByteBuffer bytes = pixels.data();
        double[][] cells = new double[CELLS][CELLS];
        for (int y = 0; y < CELLS; y++) {
            int top = y * high / CELLS;
            int bottom = Math.max(top + 1, (y + 1) * high / CELLS);
            for (int x = 0; x < CELLS; x++) {
                int left = x * (row / channels) / CELLS * channels;
                int right = Math.max(left + channels, (x + 1) * (row / channels) / CELLS * channels);
                long sum = 0;
                for (int line = top; line < bottom; line++) {
                    for (int at = left; at < right; at++) {
                        sum += bytes.get(line * row + at) & 0xFF;
                    }
                }
                cells[y][x] = (double) sum / ((bottom - top) * (right - left));
            }
        }
        return cells;
    }

    @Override
    public String toString() {
        return words;
    }
}

package io.penstock.cli.source;

import io.penstock.cache.Cache;
import io.penstock.cache.HitCheck;
import io.penstock.cache.Producer;
import io.penstock.fault.FormatException;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.RunStatistics;
import io.penstock.pipeline.StageStatistics;
import io.penstock.tensor.Schema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * One or several sources with the stages that depend on the sample alone: what goes into a cache.
 *
 * @param dataset     with these stages
 * @param schema      of its samples, which is the cache's codec too
 * @param sampleBytes that a sample takes in a cache, about; 0 where it is not known beforehand
 * @param classes     how many samples each has, in the order of the labels; empty where that is not known
 * @param listing     what is known of samples that are not loaded; null where that is nothing
 * @param parts       the sources that lie one after another in it; none where it is one
 */
public record Cacheable<T>(
        Dataset<T> dataset,
        Schema<T> schema,
        long sampleBytes,
        Map<String, Integer> classes,
        @Nullable Listing listing,
        List<Part> parts) {

    /** One of several sources: what its flag says, and how many samples are read of it. */
    public record Part(String source, long size) {

        /** Counts whose stages are named by the sources, in place of {@code part 0}. */
        public static RunStatistics named(RunStatistics counted, List<Part> parts) {
            return new RunStatistics(
                    counted.loads(),
                    counted.hits(),
                    counted.misses(),
                    counted.skipped(),
                    counted.verified(),
                    counted.differing(),
                    counted.stages().stream().map(stage -> named(stage, parts)).toList(),
                    counted.parts());
        }

        private static StageStatistics named(StageStatistics stage, List<Part> parts) {
            String name = stage.name();
            for (int i = 0; i < parts.size(); i++) {
                String number = "part %d: ".formatted(i);
                if (name.startsWith(number)) {
                    name = parts.get(i).source + ": " + name.substring(number.length());
                }
            }
            return new StageStatistics(name, stage.kind(), stage.samples(), stage.time());
        }
    }

    /** What a cache keeps beside a sample's bytes: its layout, its key. */
    static final int BESIDE = 96;

    private static final int CHANNELS = 3;

    /** Samples that are loaded to see how large they are. */
    private static final int SOME = 32;

    Cacheable(Dataset<T> dataset, Schema<T> schema, long sampleBytes) {
        this(dataset, schema, sampleBytes, Map.of(), null, List.of());
    }

    /** What a picture takes in a cache; 0 where it is not known beforehand. */
    static long pictureBytes(@Nullable Integer side) {
        return side == null ? 0 : (long) side * side * CHANNELS + BESIDE;
    }

    /**
     * The samples that all filters take, and of these one part of a split.
     * @param known the classes of all sources
     */
    Cacheable<T> only(List<SampleFilter> filters, @Nullable SplitShare split, Set<String> known) {
        Dataset<T> some = dataset;
        if (!filters.isEmpty()) {
            LongPredicate taken = filters.stream()
                    .map(filter -> filter.taking().of(this, known))
                    .reduce(index -> true, LongPredicate::and);
            some = dataset.selectIf(SampleFilter.words(filters), taken);
        }
        return only(split == null ? some : split.of(some));
    }

    Cacheable<T> only(Dataset<T> some) {
        if (some == dataset) {
            return this;
        }
        Listing kept = listing == null ? null : listing.at(places(some));
        return new Cacheable<>(some, schema, sampleBytes, classesOf(kept, some.size()), kept, partsOf(some));
    }

    /** How many of some of the samples each source has. */
    private List<Part> partsOf(Dataset<T> some) {
        List<Part> kept = new ArrayList<>();
        long index = 0;
        long place = 0;
        for (Part part : parts) {
            long first = place;
            for (long end = index + part.size; index < end; index++) {
                boolean isKept = place < some.size()
                        && dataset.id(index).key().equals(some.id(place).key());
                place += isKept ? 1 : 0;
            }
            kept.add(new Part(part.source, place - first));
        }
        return kept;
    }

    /** The places of some of the samples, which are in the same order. */
    private int[] places(Dataset<T> some) {
        int[] places = new int[Math.toIntExact(some.size())];
        int place = 0;
        for (int index = 0; place < places.length; index++) {
            if (dataset.id(index).key().equals(some.id(place).key())) {
                places[place++] = index;
            }
        }
        return places;
    }

    private Map<String, Integer> classesOf(@Nullable Listing of, long samples) {
        Map<String, Integer> counts = new LinkedHashMap<>();
        if (of != null) {
            classes.keySet().forEach(name -> counts.put(name, 0));
            for (long index = 0; index < samples; index++) {
                counts.merge(of.label().apply(index), 1, Integer::sum);
            }
        }
        return counts;
    }

    /** The class of each sample, by its number. */
    public int[] labels() {
        if (listing == null || classes.isEmpty()) {
            throw new IllegalArgumentException("--batch-classes needs one source of images in folders of classes");
        }
        List<String> names = List.copyOf(classes.keySet());
        Map<String, Integer> numbers = new HashMap<>();
        names.forEach(name -> numbers.put(name, numbers.size()));
        int[] labels = new int[Math.toIntExact(dataset.size())];
        Arrays.setAll(labels, index -> numbers.getOrDefault(listing.label().apply(index), -1));
        return labels;
    }

    /** Behind a cache, if there is one, with hits checked if that is wanted. */
    public Dataset<T> in(@Nullable Cache cache, @Nullable HitCheck check) {
        if (cache == null) {
            return dataset;
        }
        return check == null ? dataset.cache(cache, schema) : dataset.cache(cache, schema, check);
    }

    /**
     * The same with the bytes of a sample known: if need be by loading some. Blocks.
     * Broken samples are passed over, which are broken for every rank; what merely cannot be read now is not, since
     * ranks that saw different samples would cut different shards.
     * @throws FormatException if all of them are broken
     */
    public Cacheable<T> measured() {
        if (sampleBytes > 0 || dataset.size() == 0) {
            return this;
        }
        LongSummaryStatistics bytes = someBytes();
        return new Cacheable<>(dataset, schema, bytes.getSum() / bytes.getCount() + BESIDE, classes, listing, parts);
    }

    /**
     * The bytes that any of the samples takes in a cache, by the same look at some of them. Blocks.
     * @throws IllegalArgumentException if they differ
     * @throws FormatException if all of them are broken
     */
    public int slotBytes() {
        if (sampleBytes > 0) {
            return Math.toIntExact(sampleBytes);
        }
        LongSummaryStatistics bytes = someBytes();
        if (bytes.getMin() != bytes.getMax()) {
            throw new IllegalArgumentException(
                    "--cache-slots is for samples of one size, and these have %d to %d bytes; --resize makes images equal"
                            .formatted(bytes.getMin(), bytes.getMax()));
        }
        return Math.toIntExact(bytes.getMax());
    }

    private LongSummaryStatistics someBytes() {
        long size = dataset.size();
        long some = Math.min(size, SOME);
        LongSummaryStatistics bytes = Flux.range(0, (int) some)
                .concatMap(number -> encodedBytes(size / some * number))
                .collect(LongSummaryStatistics::new, LongSummaryStatistics::accept)
                .block();
        if (bytes == null || bytes.getCount() == 0) {
            throw new FormatException("cannot see how large samples are: none of %d can be read".formatted(some));
        }
        return bytes;
    }

    private Mono<Long> encodedBytes(long index) {
        return dataset.get(index)
                .map(value -> (long) schema.encode(value).length())
                .onErrorResume(
                        e -> e instanceof FormatException || e.getCause() instanceof FormatException,
                        e -> Mono.empty());
    }

    /** As whom a cache knows it. */
    public Producer producer() {
        return Dataset.producer(dataset, schema);
    }
}

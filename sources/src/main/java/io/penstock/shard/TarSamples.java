package io.penstock.shard;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.internal.Arguments;
import io.penstock.internal.Notice;
import io.penstock.internal.Thrown;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.GroupLoader;
import io.penstock.pipeline.SampleId;
import io.penstock.store.internal.RecordGroup;
import io.penstock.store.internal.StoreFiles;
import io.penstock.tensor.Tensor;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * The samples of tar shards in WebDataset's layout: the files of one key are the parts of one sample.
 *
 * <p>Index 0 is the first sample of the first archive. Files of one key belong together wherever they lie in an
 * archive; if a key has an extension twice, the second begins another sample of that key. Files without an extension,
 * hidden ones and {@code __meta__} are left out, as WebDataset does.
 *
 * <p>A sample's key is made of its archive's place and state, its offset there, and the parts chosen. So a changed
 * archive reloads its own samples alone. Memory: 28 bytes and a name for each file. Parts that lie together are read at
 * once, as the store reads, never on the caller.
 * @see TarShards#index
 */
public final class TarSamples implements Dataset<TarSample>, GroupLoader<TarSample> {

    private static final Logger LOG = LoggerFactory.getLogger(TarSamples.class);

    private final String location;
    private final ShardList shards;
    private final SampleTable[] tables;
    private final long maxBytes;
    private final List<List<String>> chosenParts; // alternatives of each part; none at all means all parts
    private final Fingerprint fingerprint;
    private final Fingerprint chosenWords;
    private final int groupSize;

    private TarSamples(
            String location, ShardList shards, SampleTable[] tables, long maxBytes, List<List<String>> chosenParts) {
        this.location = location;
        this.shards = shards;
        this.groupSize = shards.groupSize();
        this.tables = tables;
        this.maxBytes = maxBytes;
        this.chosenParts = chosenParts;
        this.chosenWords = Fingerprint.of("parts " + chosenParts);
        Fingerprint all = shards.fingerprint("tar", location);
        this.fingerprint = chosenParts.isEmpty() ? all : all.with(chosenWords);
    }

    static TarSamples of(StoreFiles archives, List<TarShard> shards, long maxBytes) {
        SampleTable[] tables = new SampleTable[shards.size()];
        int leftOut = 0;
        int repeated = 0;
        for (int i = 0; i < tables.length; i++) {
            tables[i] = SampleTable.of(shards.get(i).index()); // a damaged archive has one sample there
            leftOut += tables[i].leftOut();
            repeated += tables[i].repeated();
        }
        ShardList list = new ShardList(shards, i -> tables[i].size());
        if (list.size() == 0) {
            throw new StoreException(
                    leftOut == 0
                            ? "no samples in %s: no files in the tar archive".formatted(archives)
                            : "no samples in %s: the %d files in the tar archive have no extension; take them as files"
                                    .formatted(archives, leftOut));
        }
        if (leftOut > 0) {
            Notice.warn(LOG, "left out {} files of tar archives that have no extension: {}", leftOut, archives);
        }
        if (repeated > 0) {
            Notice.warn(LOG, "{} samples of tar archives have the key of another before them: {}", repeated, archives);
        }
        return new TarSamples(archives.store().location(), list, tables, maxBytes, List.of());
    }

    /**
     * The same samples with these parts alone, in this order; only those are read. {@code "jpg;jpeg;png"} is whichever
     * a sample has, and is called by the first.
     * @throws FormatException if a sample lacks one
     * @throws IllegalArgumentException if none are named
     */
    public TarSamples parts(String... extensions) {
        Arguments.refuse(extensions.length == 0, "name at least one part");
        List<List<String>> parts = Arrays.stream(extensions)
                .map(names -> List.of(names.split(";")))
                .toList();
        TarSamples chosen = new TarSamples(location, shards, tables, maxBytes, parts);
        for (long index = 0; index < size(); index++) {
            int shard = shards.at(index);
            chosen.files(shard, shards.within(index, shard));
        }
        return chosen;
    }

    @Override
    public long size() {
        return shards.size();
    }

    @Override
    public Fingerprint fingerprint() {
        return fingerprint;
    }

    @Override
    public Mono<TarSample> get(long index) {
        return Mono.defer(() -> {
            Chosen chosen = chosen(index);
            return chosen.shard.read(chosen.inOrder, maxBytes).map(Thrown.function(bytes -> sample(chosen, bytes)));
        });
    }

    @Override
    public int groupSize() {
        return groupSize;
    }

    @Override
    public Mono<Void> getAll(long[] indices, Receiver<TarSample> receiver) {
        RecordGroup.Finder<TarSample> finder = (place, index) -> {
            Chosen chosen = chosen(index);
            return chosen.shard.piece(
                    place, shards.at(index), chosen.inOrder, maxBytes, bytes -> sample(chosen, bytes));
        };
        return RecordGroup.read(indices, finder, this::get, receiver);
    }

    /** The files of a sample, in the order of the chosen parts, and in that of the archive. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Chosen(TarShard shard, int[] files, int[] inOrder) {}

    private Chosen chosen(long index) {
        int number = shards.at(index);
        int[] files = files(number, shards.within(index, number));
        return new Chosen(
                shards.shard(number),
                files,
                Arrays.stream(files).distinct().sorted().toArray());
    }

    private TarSample sample(Chosen chosen, List<Tensor> bytes) {
        TarShard shard = chosen.shard;
        int[] files = chosen.files;
        Map<String, Tensor> parts = new LinkedHashMap<>();
        for (int i = 0; i < files.length; i++) {
            String extension = chosenParts.isEmpty()
                    ? split(shard, files[i]).extension()
                    : chosenParts.get(i).get(0);
            parts.put(extension, bytes.get(Arrays.binarySearch(chosen.inOrder, files[i])));
        }
        return new TarSample(split(shard, files[0]).key(), parts);
    }

    private static SampleName split(TarShard shard, int file) {
        return Objects.requireNonNull(SampleName.of(shard.index().name(file)), "only such are in the table");
    }

    /** A sample's files, in the order of the chosen parts. */
    private int[] files(int shard, int sample) {
        SampleTable table = tables[shard];
        int[] all = IntStream.range(0, table.parts(sample))
                .map(part -> table.file(sample, part))
                .toArray();
        if (chosenParts.isEmpty() || shards.shard(shard).isDamaged()) {
            return all;
        }
        int[] chosen = new int[chosenParts.size()];
        for (int i = 0; i < chosen.length; i++) {
            chosen[i] = file(shards.shard(shard), all, chosenParts.get(i));
        }
        return chosen;
    }

    private static int file(TarShard shard, int[] all, List<String> alternatives) {
        for (String extension : alternatives) {
            for (int file : all) {
                if (split(shard, file).extension().equals(extension)) {
                    return file;
                }
            }
        }
        throw new FormatException("sample %s has no part \"%s\": it has %s"
                .formatted(
                        shard.name(all[0], split(shard, all[0]).key()),
                        String.join(";", alternatives),
                        Arrays.stream(all)
                                .mapToObj(file -> split(shard, file).extension())
                                .toList()));
    }

    /**
     * The archive, where the first part lies in it, and the sample's key: {@code shard-0.tar@512:train/000123}. Its
     * state is the archive's folder, size and modification time, and the parts chosen.
     */
    @Override
    public SampleId id(long index) {
        int number = shards.at(index);
        TarShard shard = shards.shard(number);
        int first = tables[number].file(shards.within(index, number), 0);
        SampleKey key = shard.key(first);
        return SampleId.of(
                chosenParts.isEmpty() ? key : key.with(chosenWords),
                () -> shard.name(first, split(shard, first).key()),
                () -> state(shard));
    }

    private List<String> state(TarShard shard) {
        return chosenParts.isEmpty()
                ? shard.state()
                : Stream.concat(shard.state().stream(), chosenWords.words().stream())
                        .toList();
    }

    @Override
    public String toString() {
        return "samples of %d tar archives in %s, %d samples".formatted(shards.count(), location, size());
    }
}

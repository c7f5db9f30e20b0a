package io.penstock.shard;

import io.penstock.cache.SampleKey;
import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.internal.Arguments;
import io.penstock.internal.FileWork;
import io.penstock.internal.Notice;
import io.penstock.store.Store;
import io.penstock.store.StoreFile;
import io.penstock.store.internal.StoreFiles;
import io.penstock.store.unpack.Unpacker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tar archives, plain or compressed with gzip or zstd, which an index makes addressable.
 * <pre>{@code
 *  TarShards.open(store, "train/shard-*.tar").index(cacheDir).parts("jpg;jpeg", "cls")
 * }</pre>
 *
 * <p>The index is made by one scan of each archive, which reads headers and leaves what lies between them, and is kept
 * in the folder given: one file an archive, used again while the archive's size and version are the same.
 * Archives whose names end in gz, tgz, zst, zstd or tzst are decompressed into the same folder once; see {@link
 * Unpacker}.
 *
 * <p>Read are v7, ustar, pax, GNU and star archives, with long names, in UTF-8, and sizes in base 256. An archive with
 * sparse files is refused. Checksums are verified. Folders, links and devices are left out and never followed; names are
 * only ever names.
 * Archives lie in the order of their keys.
 *
 * <p>Immutable; every method that indexes blocks, and works on several archives at once.
 * @see <a href="https://github.com/webdataset/webdataset">WebDataset</a>
 */
public final class TarShards {

    private static final String WHAT = "tar archives";
    private static final Logger LOG = LoggerFactory.getLogger(TarShards.class);

    private final StoreFiles files;
    private final long maxSampleBytes;
    private final long maxUnpackedBytes; // 0 where the unpacker's own limit holds

    private TarShards(StoreFiles files, long maxSampleBytes, long maxUnpackedBytes) {
        this.files = files;
        this.maxSampleBytes = maxSampleBytes;
        this.maxUnpackedBytes = maxUnpackedBytes;
    }

    private static TarShards of(StoreFiles files) {
        return new TarShards(files, 1L << 30, 0);
    }

    /**
     * One archive, all files below a folder, or those of a folder whose names match a pattern: {@code data/a-*.tar}.
     * @throws StoreException if there is none, or something cannot be listed
     */
    public static TarShards open(Path path) {
        return of(StoreFiles.of(WHAT, path));
    }

    /**
     * The archive of a key, or those of one of the store's folders whose names match a pattern. The store stays the
     * caller's.
     * @throws StoreException if there is none, or the store cannot be listed
     */
    public static TarShards open(Store store, String keyOrPattern) {
        return of(StoreFiles.of(WHAT, store, keyOrPattern));
    }

    /**
     * The archives of these keys.
     * @throws StoreException if one does not exist
     * @throws IllegalArgumentException if there are none, or one is named twice
     */
    public static TarShards open(Store store, List<String> keys) {
        return of(StoreFiles.ofKeys(WHAT, store, keys));
    }

    /**
     * Another limit of a sample's size; 1 GiB unless set. Larger ones fail when they are loaded.
     * @throws IllegalArgumentException if {@code bytes < 1}
     */
    public TarShards maxSampleBytes(long bytes) {
        return new TarShards(files, positive("largest sample", bytes), maxUnpackedBytes);
    }

    /**
     * Another limit of what compressed archives take once decompressed; unless set, 256 GiB together in a folder, 1 GiB
     * in memory.
     * @throws IllegalArgumentException if {@code bytes < 1}
     */
    public TarShards maxUnpackedBytes(long bytes) {
        return new TarShards(files, maxSampleBytes, positive("limit of unpacked bytes", bytes));
    }

    private static long positive(String what, long bytes) {
        Arguments.refuse(bytes < 1, "%s must be at least 1 byte, was %d", what, bytes);
        return bytes;
    }

    /**
     * The samples, with their index in a folder, which is made if there is none. An archive that is cut off or broken is
     * one sample, which fails and names the place, so that an error policy can skip it.
     * @throws FormatException if all archives are cut off or broken, of the first
     * @throws StoreException if one cannot be read, or the folder not written, or there are no samples
     */
    public TarSamples index(Path folder) {
        return TarSamples.of(files, shards(folder), maxSampleBytes);
    }

    /** The samples, with an index in memory that is gone with them; compressed archives are decompressed there too. */
    public TarSamples index() {
        return TarSamples.of(files, shards(null), maxSampleBytes);
    }

    /**
     * Every file of the archives as a sample of its own, also those that have no extension; see {@link #index(Path)}.
     */
    public TarFiles files(Path folder) {
        return TarFiles.of(files, shards(folder), maxSampleBytes);
    }

    /** The same with an index in memory; see {@link #index()}. */
    public TarFiles files() {
        return TarFiles.of(files, shards(null), maxSampleBytes);
    }

    /**
     * The files in a folder of {@link #index(Path)} that do not match their checksums: indexes, and decompressed
     * archives. Reads them all, and blocks. They are made again when they are next used.
     * @throws StoreException if one cannot be read
     */
    public static List<Path> damaged(Path folder) {
        List<Path> damaged = new ArrayList<>(Unpacker.damaged(folder));
        damaged.addAll(TarIndexFile.damaged(folder));
        return damaged;
    }

    private List<TarShard> shards(@Nullable Path folder) {
        return shards("tar", files, folder, maxUnpackedBytes, TarIndex::scan);
    }

    /**
     * Files of shards with their indexes. One that is damaged is one sample, which fails; all of them are refused.
     * @param kind     of the files: the same file has another index as another kind
     * @param folder   for indexes and unpacked files; null to keep them in memory
     * @param maxBytes of unpacked files; 0 for the unpacker's own limit
     * @param scan     makes the index of a file, whose name follows its bytes
     */
    static List<TarShard> shards(
            String kind,
            StoreFiles files,
            @Nullable Path folder,
            long maxBytes,
            BiFunction<TarBytes, String, TarIndex> scan) {
        Path made = folder == null ? null : make(folder);
        Unpacker standard = made == null ? Unpacker.inMemory() : Unpacker.into(made);
        Unpacker unpacker = maxBytes == 0 ? standard : standard.maxBytes(maxBytes);
        List<TarShard> shards = files.map(entry -> {
            SampleKey place = SampleKey.of(kind, files.place(entry));
            SampleKey source = place.with(entry.size()).with(entry.version());
            String name = entry.key() + " in " + files.store().location();
            StoreFile plain = new StoreFile(files.store(), entry);
            TarIndex index;
            try {
                plain = unpacker.unpack(files.store(), entry);
                TarIndexFile kept = made == null ? null : new TarIndexFile(made, place, source, plain.size());
                index = index(plain, kept, bytes -> scan.apply(bytes, name));
            } catch (FormatException e) {
                index = TarIndex.damaged(e);
            }
            return new TarShard(entry.key(), source, files.state(entry), plain, index);
        });
        requireSomeReadable(shards);
        return shards;
    }

    private static TarIndex index(StoreFile plain, @Nullable TarIndexFile kept, Function<TarBytes, TarIndex> scan) {
        TarIndex found = kept == null ? null : kept.read();
        if (found != null) {
            return found;
        }
        try (TarBytes bytes = TarBytes.of(plain)) {
            TarIndex made = scan.apply(bytes);
            if (kept != null) {
                kept.write(made);
            }
            return made;
        }
    }

    private static void requireSomeReadable(List<TarShard> shards) {
        List<FormatException> damages = shards.stream()
                .map(shard -> shard.index().damage())
                .filter(Objects::nonNull)
                .toList();
        if (damages.size() == shards.size()) {
            throw damages.get(0);
        }
        damages.forEach(
                damage -> Notice.warn(LOG, "a damaged file is one sample, which fails: {}", damage.getMessage()));
    }

    private static Path make(Path folder) {
        return FileWork.get("cannot keep the index of archives in " + folder, () -> Files.createDirectories(folder));
    }

    @Override
    public String toString() {
        return "tar archives: " + files;
    }
}

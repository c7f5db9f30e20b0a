package io.penstock.manifest;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.folder.LabelledFile;
import io.penstock.internal.Arguments;
import io.penstock.internal.HeapLimit;
import io.penstock.internal.Thrown;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.SampleId;
import io.penstock.store.Checksum;
import io.penstock.store.Manifest;
import io.penstock.store.Store;
import io.penstock.store.StoreEntry;
import io.penstock.store.http.HttpOptions;
import io.penstock.store.http.HttpStore;
import io.penstock.store.mirror.MirroredStore;
import io.penstock.stream.Execution;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The files that a {@link Manifest} names, not decoded: {@code https://host/data/manifest.jsonl}, whose keys lie beside
 * it.
 *
 * <p>Samples lie in the order of the lines. Labels that are words become their index among all words, sorted byte by
 * byte, as {@link io.penstock.folder.ImageFolder} labels class folders; numbers stay as they are; without labels all
 * are 0. Either every line has one or none, and all are of one kind.
 *
 * <p>The manifest is fetched once. A sample's key is made of the store's location, its key, size, checksum and label,
 * so a changed manifest reloads what it says has changed. A line without checksum says little of its bytes: unless it
 * has size and entity tag, opening asks the store for the state of each such file (over HTTP with a {@code HEAD},
 * {@value #ASKED_AT_ONCE} at once), which then is in its key, so that a file that was replaced is loaded again and the
 * others are not. Checksums in the manifest spare these requests. Where a server gives neither entity tag nor date,
 * only another length is noticed. Sizes and checksums are verified at every load; over HTTP a body that fails that is
 * asked for again within the store's attempts.
 *
 * <p>Memory: some 300 bytes and its key a sample. Values come from the store's threads.
 */
public final class ManifestDataset implements Dataset<LabelledFile> {

    /** No file of a data set is larger; one that is must not take all memory. */
    private static final int MAX_BYTES = (int) HeapLimit.of(256 << 20, 3);

    /** Hashing more than this would block the thread that delivers the bytes. */
    private static final int MAX_ON_CALLER = 1 << 20;

    /** A store of its own limits takes no more than it allows. */
    private static final int ASKED_AT_ONCE = 64;

    private final Store store;
    private final Manifest manifest;
    private final FileStates states;
    private final ManifestLabels labels;
    private final Fingerprint fingerprint;
    private final SampleKey place;
    private final int maxBytes;

    private ManifestDataset(Store store, Manifest manifest, FileStates states, ManifestLabels labels, int maxBytes) {
        this.store = store;
        this.manifest = manifest;
        this.states = states;
        this.labels = labels;
        this.fingerprint = Fingerprint.of(
                        "manifest", store.location(), manifest.checksum().toString())
                .with(states.all());
        this.place = SampleKey.of("manifest", store.location());
        this.maxBytes = maxBytes;
    }

    /**
     * The files that a manifest on a server names, with {@link HttpOptions#standard}; see
     * {@link #open(URI, HttpOptions)}.
     */
    public static ManifestDataset open(URI manifest) {
        return open(manifest, HttpOptions.standard());
    }

    /**
     * The files that a manifest on a server names; its keys lie in its own folder. Blocks while it is fetched, and the
     * states of files without checksum are asked for.
     * @throws StoreException if it cannot be fetched, or the server does not answer for a file
     * @throws FormatException if it is not a manifest, or its labels are of two kinds
     */
    public static ManifestDataset open(URI manifest, HttpOptions options) {
        HttpStore store = HttpStore.ofManifest(manifest, options);
        return open(store, store.manifest().orElseThrow());
    }

    /** The files that a manifest in a store names, in the same store. */
    public static ManifestDataset open(Store store, String manifest) {
        return of(store, Manifest.open(store, manifest));
    }

    /**
     * The files that a manifest names, in any store. Blocks while the states of files without checksum are asked for.
     * @throws StoreException if the store does not answer for one; that it is not there fails when it is loaded
     * @throws FormatException if its labels are of two kinds, or some lines have none
     */
    public static ManifestDataset of(Store store, Manifest manifest) {
        ManifestLabels labels = ManifestLabels.of(manifest);
        return new ManifestDataset(store, manifest, FileStates.of(store, manifest, ASKED_AT_ONCE), labels, MAX_BYTES);
    }

    /**
     * Another limit of a file's size; 256 MiB unless set. Larger ones fail when they are loaded.
     * @throws IllegalArgumentException if {@code bytes < 1}
     */
    public ManifestDataset maxFileBytes(int bytes) {
        Arguments.refuse(bytes < 1, "largest file size must be at least 1 byte, was %s", bytes);
        return new ManifestDataset(store, manifest, states, labels, bytes);
    }

    /** The words of the labels, in the order of their numbers; empty where labels are numbers, or there are none. */
    public List<String> labels() {
        return labels.words();
    }

    /** How many files each label has, by its word or number, in the order of the labels; empty where there are none. */
    public Map<String, Integer> labelCounts() {
        return labels.counts(manifest);
    }

    /** The label of a file, 0 where it has none. Loads nothing. */
    public int label(long index) {
        return labels.of(line(index));
    }

    /** The length of a file in bytes, -1 where neither the manifest nor the store has said it. */
    public long bytes(long index) {
        Manifest.Line line = line(index);
        StoreEntry found = states.of(line);
        return found == null ? line.bytes() : found.size();
    }

    @Override
    public long size() {
        return manifest.lines().size();
    }

    @Override
    public Fingerprint fingerprint() {
        return fingerprint;
    }

    /**
     * Fails with a {@link StoreException} if the file is not there, cannot be read, or is too large, and with a
     * {@link FormatException} if its bytes do not match its checksum.
     */
    @Override
    public Mono<LabelledFile> get(long index) {
        Manifest.Line line = line(index);
        return Mono.defer(() -> bytes(line, states.of(line)))
                .map(bytes -> new LabelledFile(
                        line.key(), Tensor.of(DType.U8, Shape.of(bytes.remaining()), bytes), labels.of(line)));
    }

    private Mono<ByteBuffer> bytes(Manifest.Line line, @Nullable StoreEntry found) {
        Checksum sum = line.checksum();
        long size = Math.max(line.bytes(), found == null ? -1 : found.size());
        if (size > maxBytes) {
            return Mono.error(new StoreException("%s in %s is too large: at most %d bytes, has %d; raise maxFileBytes"
                    .formatted(line.key(), store.location(), maxBytes, size)));
        }
        if (found != null && (line.bytes() < 0 || line.bytes() == found.size())) {
            return store.read(found); // as it was when its key was made, or not at all
        }
        if (line.bytes() >= 0 && store instanceof HttpStore) {
            // the version makes the store check what comes, and ask again
            return store.read(new StoreEntry(line.key(), line.bytes(), sum == null ? 0 : sum.version()));
        }
        // a mirror would ask the source what is there before it looks for its copy, although the line says it
        Mono<ByteBuffer> bytes = line.bytes() >= 0 && sum != null && store instanceof MirroredStore
                ? store.entry(line).flatMap(store::read)
                : store.find(line.key(), maxBytes);
        return bytes.switchIfEmpty(Mono.error(() -> new StoreException("%s is not in %s, although %s lists it"
                        .formatted(line.key(), store.location(), manifest.name()))))
                .flatMap(now -> verified(line, sum, now));
    }

    private Mono<ByteBuffer> verified(Manifest.Line line, @Nullable Checksum sum, ByteBuffer bytes) {
        if (line.bytes() >= 0 && line.bytes() != bytes.remaining()) {
            return Mono.error(new FormatException("%s in %s has %d bytes, but %s says %d"
                    .formatted(line.key(), store.location(), bytes.remaining(), manifest.name(), line.bytes())));
        }
        if (sum == null) {
            return Mono.just(bytes);
        }
        Mono<ByteBuffer> checked = Mono.fromCallable(Thrown.callable(() -> {
            Checksum found = Checksum.of(sum.kind(), bytes);
            if (!found.equals(sum)) {
                throw new FormatException("%s in %s is not what %s says: its %d bytes have the checksum %s, not %s"
                        .formatted(line.key(), store.location(), manifest.name(), bytes.remaining(), found, sum));
            }
            return bytes;
        }));
        return bytes.remaining() > MAX_ON_CALLER
                ? checked.subscribeOn(Execution.standard().workers())
                : checked;
    }

    /**
     * The line's key in the store. Its state is the folder, the checksum or the state that the store found, the size,
     * and the label.
     */
    @Override
    public SampleId id(long index) {
        Manifest.Line line = line(index);
        StoreEntry found = states.of(line);
        return SampleId.of(key(line, found), line::key, () -> state(line, found));
    }

    private SampleKey key(Manifest.Line line, @Nullable StoreEntry found) {
        Checksum sum = line.checksum();
        SampleKey state = sum != null
                ? SampleKey.of(line.key(), sum.toString()).with(line.bytes())
                : SampleKey.of(line.key())
                        .with(found == null ? -1 : found.size())
                        .with(found == null ? 0 : found.version());
        return place.with(state).with(labels.of(line));
    }

    private List<String> state(Manifest.Line line, @Nullable StoreEntry found) {
        Checksum sum = line.checksum();
        List<String> file = sum != null
                ? List.of("size " + line.bytes(), sum.toString())
                : found == null ? List.of("not there", "not there") : store.state(found);
        return List.of("in " + store.location(), file.get(0), file.get(1), "label " + labels.of(line));
    }

    private Manifest.Line line(long index) {
        return manifest.lines().get((int) Objects.checkIndex(index, size()));
    }

    @Override
    public String toString() {
        return "%s, %d samples".formatted(manifest.name(), size());
    }
}

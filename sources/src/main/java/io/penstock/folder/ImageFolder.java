package io.penstock.folder;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.fault.StoreException;
import io.penstock.internal.Arguments;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.SampleId;
import io.penstock.store.FileStore;
import io.penstock.store.Store;
import io.penstock.store.zip.ZipStore;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * Image files in class folders, not decoded: {@code root/cat/1.jpg}, {@code root/dog/old/7.png}.
 *
 * <p>As torchvision's {@code ImageFolder}: the label is the index of the class folder's name among the sorted names,
 * and images may lie any number of folders below it. Images are files that end in jpg, jpeg, png, gif, bmp or webp,
 * upper case or lower. Hidden files and folders are left out, links that lead out of the root or in a circle too, and
 * images above the class folders, the last two with a warning. A class folder without images is an error: leaving it
 * out would silently change the labels after it.
 *
 * <p>Samples lie in the order of their paths below the root, with {@code /} between the parts, byte by byte in UTF-8
 * in every locale and file system: an index means the same file on every machine. Names in different Unicode forms
 * are different names.
 *
 * <p>A sample's key is made of the root's real path, its own path, size, modification time and label. So adding,
 * removing or changing files changes those files' keys alone; adding a class changes those of the classes after it,
 * whose labels move.
 *
 * <p>Memory: a path and 36 bytes a sample. Reads block on the threads of {@link FileStore#open(Path)}, never
 * on the caller, and values come from those. There is nothing to close.
 * @see <a href="https://pytorch.org/vision/stable/generated/torchvision.datasets.ImageFolder.html">torchvision's</a>
 */
public final class ImageFolder implements Dataset<LabelledFile> {

    private static final Logger LOG = LoggerFactory.getLogger(ImageFolder.class);

    /** No image is larger; another file with the name of one must not take all memory. */
    private static final long MAX_BYTES = 256L << 20;

    private static final int MAX_DEPTH = 64;

    private final Store store;
    private final ImageTable images;
    private final List<String> labels;
    private final Fingerprint fingerprint;
    private final long maxBytes;

    private ImageFolder(Store store, ImageTable images, List<String> labels, Fingerprint fingerprint, long maxBytes) {
        this.store = store;
        this.images = images;
        this.labels = labels;
        this.fingerprint = fingerprint;
        this.maxBytes = maxBytes;
    }

    /**
     * The images below a folder, whose own folders are the classes. Blocks while it lists them.
     * @throws StoreException if there is no such folder, something in it cannot be listed, a class folder is empty, or
     *     there are no images in class folders
     */
    public static ImageFolder open(Path root) {
        return open(root, 0);
    }

    /**
     * The same with class folders below {@code depth} levels of other folders, whose names are paths: with 1,
     * Omniglot's are {@code alphabet/character}. Unless set it is 0. Images that are all of one class, and all lie in
     * folders within it, are a warning that names the depth at which they are not.
     * @throws IllegalArgumentException unless {@code depth} is in [0, 64]
     */
    public static ImageFolder open(Path root, int depth) {
        return open(FileStore.open(root), depth);
    }

    /** The images in a store, whose folders are the classes. The store stays the caller's to close. */
    public static ImageFolder open(Store store) {
        return open(store, 0);
    }

    /**
     * The same with class folders below {@code depth} levels of other folders. In a zip, a folder that holds all other
     * folders is no level: archives of a folder have it or not, as the program that packed them likes.
     * @throws StoreException if the store cannot be listed, or there are no images in class folders
     * @throws IllegalArgumentException unless {@code depth} is in [0, 64]
     */
    public static ImageFolder open(Store store, int depth) {
        if (depth < 0 || depth > MAX_DEPTH) {
            throw new IllegalArgumentException(
                    "depth, the levels of folders above the classes, must be in [0, %d], was %d"
                            .formatted(MAX_DEPTH, depth));
        }
        ImageListing listing = new ImageListing(store);
        int levels = store instanceof ZipStore ? listing.belowTopFolder(depth) : depth;
        List<ImageListing.Found> found = listing.sorted(levels);
        listing.warnings(levels).forEach(LOG::warn);
        List<String> labels = listing.labels(levels);
        ImageTable images = new ImageTable(store.location(), levels + 1, found, listing.paths());
        SampleKey all = images.all();
        Fingerprint fingerprint = Fingerprint.of(
                "images", store.location(), "%d files %016x%016x".formatted(images.size(), all.high(), all.low()));
        return new ImageFolder(store, images, labels, fingerprint, MAX_BYTES);
    }

    /**
     * Another limit of a file's size; 256 MiB unless set. Larger ones fail when they are loaded.
     * @throws IllegalArgumentException if {@code bytes < 1}
     */
    public ImageFolder maxFileBytes(long bytes) {
        Arguments.refuse(bytes < 1, "largest file size must be at least 1 byte, was %s", bytes);
        return new ImageFolder(store, images, labels, fingerprint, bytes);
    }

    /** The class folders' names, in the order of their labels; paths below the folder that holds all of them. */
    public List<String> labels() {
        return labels;
    }

    /** How many images each class has, by the classes' names in the order of their labels. */
    public Map<String, Integer> labelCounts() {
        return images.counts(labels);
    }

    /** The class of an image, a place in {@link #labels}. Loads nothing. */
    public int label(long index) {
        return images.label(at(index));
    }

    /** The length of an image's file in bytes, as it was listed. */
    public long bytes(long index) {
        return images.bytes(at(index));
    }

    /**
     * Whether a key ends as images do: in {@code .jpg}, {@code .jpeg}, {@code .png}, {@code .gif}, {@code .bmp}, {@code
     * .webp}.
     */
    public static boolean isImage(String key) {
        return ImageListing.isImage(key);
    }

    @Override
    public long size() {
        return images.size();
    }

    @Override
    public Fingerprint fingerprint() {
        return fingerprint;
    }

    /** Fails with a {@link StoreException} if the file is gone, unreadable, too large, or not as it was listed. */
    @Override
    public Mono<LabelledFile> get(long index) {
        int image = at(index);
        if (images.bytes(image) > maxBytes) {
            return Mono.error(
                    () -> new StoreException("%s in %s is too large: at most %d bytes, has %d; raise maxFileBytes"
                            .formatted(images.path(image), store.location(), maxBytes, images.bytes(image))));
        }
        return Mono.defer(() -> {
            var entry = images.entry(image);
            return store.read(entry)
                    .map(bytes -> new LabelledFile(
                            entry.key(), Tensor.of(DType.U8, Shape.of(bytes.remaining()), bytes), images.label(image)));
        });
    }

    /**
     * The path below the root: {@code cat/1.jpg}. Its state is the folder, the file's size and modification time, and
     * its label.
     */
    @Override
    public SampleId id(long index) {
        int image = at(index);
        return SampleId.of(images.key(image), () -> images.path(image), () -> state(image));
    }

    private List<String> state(int image) {
        List<String> file = store.state(images.entry(image));
        return List.of("in " + store.location(), file.get(0), file.get(1), "label " + images.label(image));
    }

    private int at(long index) {
        return (int) Objects.checkIndex(index, size());
    }

    @Override
    public String toString() {
        return "images in %s, %d classes, %d samples".formatted(store.location(), labels.size(), size());
    }
}

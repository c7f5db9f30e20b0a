package io.penstock.annotation;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.internal.HeapLimit;
import io.penstock.internal.Notice;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.SampleId;
import io.penstock.store.FileStore;
import io.penstock.store.Store;
import io.penstock.store.StoreEntry;
import io.penstock.store.internal.FileNames;
import io.penstock.table.Row;
import io.penstock.table.TableField;
import io.penstock.tensor.DType;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * Images with what was annotated on them: masks in a folder of their own, and the formats of COCO, Pascal VOC and YOLO.
 * <pre>{@code
 *  ImageDecoder decoder = ImageDecoder.fastest();
 *  Dataset<Row> street = AnnotatedImages.coco(Path.of("instances.json"), Path.of("train2017"))
 *          .decode("decode " + decoder.id(), decoder::decode, decoder::decodeStored);
 * }</pre>
 *
 * <p>Fields: {@code image u8[n]}, the file; those that were chosen; and {@code size i32[2]}, height and width as the
 * annotations say, 0 where they do not. {@link #decode} makes {@code pixels u8[h, w, 3]} of the file.
 * <ul>
 *   <li>{@code boxes f32[n, 4]}: x1, y1, x2, y2 as in the files; of YOLO shares of the image, until it is decoded
 *   <li>{@code classes i32[n]}: places in {@link #labels}
 *   <li>{@code mask}: the file {@code u8[n]} of a pair or of VOC's SegmentationClass; of COCO {@code u8[h, w]}, the
 *       class and 1 where an instance is, 0 elsewhere, a later instance over an earlier one
 *   <li>{@code crowd u8[n]}: COCO's {@code iscrowd}; unless chosen, crowds are left out
 *   <li>{@code keypoints f32[n, k, 3]}: x, y, visibility
 *   <li>{@code captions u8[n]} and {@code captions.lengths i32[m]}: texts of a file of captions
 * </ul>
 *
 * <p>Samples lie in the order of COCO's file, else of the images' names, byte by byte. Opening lists the images, parses
 * the annotations, and blocks. An image whose file is missing, or whose annotations are no boxes, polygons or run lengths,
 * fails when it is loaded, with the annotation's number; the others do not. Boxes without area are left out.
 * Annotations of unknown images, and images or annotations of one id, fail the opening.
 *
 * <p>A sample's key is made of its file's place, path, size and modification time, and of its own annotations.
 *
 * <p>Memory: some 350 bytes an image and 25 a box, the segments or texts if chosen; some 200 a box while it is parsed.
 * Values come from the store's threads. There is nothing to close.
 */
public final class AnnotatedImages implements Dataset<Row> {

    static final String MASK = "mask";
    static final String KEYPOINTS = "keypoints";
    static final String CAPTIONS = "captions";
    static final String CROWD = "crowd";

    static final int MAX_SIDE = 1 << 20; // no picture is larger

    private static final Logger LOG = LoggerFactory.getLogger(AnnotatedImages.class);
    static final String IMAGE = "image";
    static final String PIXELS = "pixels";
    static final String SIZE = "size";
    static final String BOXES = "boxes";
    static final String CLASSES = "classes";
    private static final String LENGTHS = "captions.lengths";

    private static final long MAX_BYTES = HeapLimit.of(256 << 20, 3);
    private static final List<String> STANDARD = List.of(BOXES, CLASSES);

    private final String kind;
    private final Store store;
    private final Store maskStore;
    private final AnnotationReading read;
    private final Annotations annotations;
    private final List<String> names;
    private final Fingerprint fingerprint;
    private final long[] keys;

    private AnnotatedImages(String kind, Store store, Store maskStore, List<String> fields, AnnotationReading read) {
        this.kind = kind;
        this.store = store;
        this.maskStore = maskStore;
        this.read = read;
        this.annotations = read.annotations();
        Stream<String> beside = fields.contains(CAPTIONS) ? Stream.of(LENGTHS, SIZE) : Stream.of(SIZE);
        this.names = Stream.of(Stream.of(IMAGE), fields.stream(), beside)
                .flatMap(each -> each)
                .toList();
        SampleKey place = SampleKey.of(kind, store.location(), names.toString(), labels().toString());
        this.keys = new long[2 * read.images().size()];
        SampleKey together = place;
        for (int i = 0; i < read.images().size(); i++) {
            SampleKey key = of(i).key(place.with(SampleKey.of(of(i).name())));
            key = with(key, read.images().get(i));
            key = read.masks().isEmpty() ? key : with(key, read.masks().get(i));
            keys[2 * i] = key.high();
            keys[2 * i + 1] = key.low();
            together = together.with(key);
        }
        this.fingerprint = Fingerprint.of(
                kind, store.location(), "%d files %016x%016x".formatted(size(), together.high(), together.low()));
        warn();
    }

    private static SampleKey with(SampleKey key, @Nullable StoreEntry file) {
        return file == null ? key.with(-1) : key.with(file.size()).with(file.version());
    }

    private void warn() {
        List<String> missing = IntStream.range(0, read.images().size())
                .filter(image -> read.images().get(image) == null)
                .mapToObj(image -> of(image).name())
                .toList();
        if (missing.size() == size()) {
            throw new StoreException("none of the %d images that are annotated is in %s, such as %s; name their folder"
                    .formatted(size(), store.location(), missing.get(0)));
        }
        List<String> unusable = Stream.of(annotations.images())
                .filter(image -> !image.fault().isEmpty())
                .map(image -> image.name() + ": " + image.fault())
                .toList();
        warn("fail when they are loaded, since their annotations cannot be used", unusable);
        warn("are annotated and not there, and fail when they are loaded", missing);
        warn("have no partner, and are left out", read.unmatched());
        if (annotations.empty() > 0) {
            Notice.warn(LOG, "left out {} boxes without area in {}", annotations.empty(), store.location());
        }
    }

    private void warn(String what, List<String> files) {
        if (!files.isEmpty()) {
            String first = String.join("; ", files.subList(0, Math.min(3, files.size())));
            Notice.warn(LOG, "{} files in {} {}: {}", files.size(), store.location(), what, first);
        }
    }

    /** The images of a file of COCO's format that lie in a folder, with {@code boxes} and {@code classes}. */
    public static AnnotatedImages coco(Path annotations, Path images) {
        Path folder = Objects.requireNonNull(annotations.toAbsolutePath().getParent(), "a file has a folder");
        String name = FileNames.of(annotations);
        return coco(FileStore.open(folder), name, FileStore.open(images), STANDARD, null);
    }

    /**
     * The same in stores, which stay the caller's.
     * @param fields of {@code boxes}, {@code classes}, {@code mask}, {@code crowd} and {@code keypoints}, or
     *     {@code captions} alone
     * @param kept the folder in which what was parsed is kept by Kryo for the next start; null for none
     * @throws StoreException if a file cannot be read, or none of the images is there
     * @throws FormatException if the annotations are not of this format
     */
    public static AnnotatedImages coco(
            Store annotations, String key, Store images, List<String> fields, @Nullable Path kept) {
        requireFields(fields, List.of(BOXES, CLASSES, MASK, CROWD, KEYPOINTS, CAPTIONS));
        if (fields.contains(CAPTIONS) && fields.size() > 1) {
            throw new IllegalArgumentException("captions are in a file of their own: name them alone, not " + fields);
        }
        return new AnnotatedImages(
                "coco", images, images, fields, AnnotationReading.coco(annotations, key, images, fields, kept));
    }

    /**
     * The images of a folder of Pascal VOC: {@code Annotations}, {@code JPEGImages}, {@code SegmentationClass}. Classes
     * are numbered in the order of their names.
     * @param split  a text in {@code ImageSets/Main}, with masks in {@code ImageSets/Segmentation}; empty for all
     * @param fields of {@code boxes}, {@code classes}, and {@code mask}, which leaves out images that have none
     */
    public static AnnotatedImages voc(Store store, String split, List<String> fields, @Nullable Path kept) {
        requireFields(fields, List.of(BOXES, CLASSES, MASK));
        return new AnnotatedImages("voc", store, store, fields, AnnotationReading.voc(store, split, fields, kept));
    }

    /**
     * The images of a folder in YOLO's form: {@code images}, {@code labels}, {@code classes.txt} or a YAML. An image
     * without a text has no boxes.
     * @param split  a folder in {@code images} and {@code labels}; empty for all
     * @param fields of {@code boxes} and {@code classes}
     */
    public static AnnotatedImages yolo(Store store, String split, List<String> fields, @Nullable Path kept) {
        requireFields(fields, STANDARD);
        return new AnnotatedImages("yolo", store, store, fields, AnnotationReading.yolo(store, split, kept));
    }

    /**
     * Images, and masks of the same paths but for the extension. Files without a partner are left out, and named.
     * @throws StoreException if there is no pair, or a store has two files of one name
     */
    public static AnnotatedImages pairs(Store images, Store masks) {
        return new AnnotatedImages("pairs", images, masks, List.of(MASK), AnnotationReading.pairs(images, masks));
    }

    /** Images alone, to be joined with what is known of them: {@code image} and {@code size}, which is 0. */
    public static AnnotatedImages bare(Store store) {
        return new AnnotatedImages("bare", store, store, List.of(), AnnotationReading.bare(store));
    }

    /** The kept annotations in a folder that are not as they were written. Blocks. */
    public static List<Path> damaged(Path folder) {
        return KeptAnnotations.damaged(folder);
    }

    private static void requireFields(List<String> fields, List<String> known) {
        if (fields.isEmpty() || !known.containsAll(fields) || Set.copyOf(fields).size() < fields.size()) {
            throw new IllegalArgumentException("the fields are of %s, were %s".formatted(known, fields));
        }
    }

    /** The names of the classes, in the order of their numbers; empty where the files name none. */
    public List<String> labels() {
        return List.of(annotations.classes());
    }

    /** The files that were left out since they have no partner. */
    public List<String> unmatched() {
        return List.copyOf(read.unmatched());
    }

    /** How rows are laid out before they are decoded. */
    public Schema<Row> schema() {
        return Row.schema(names);
    }

    /** How decoded rows are laid out: for batches and caches. */
    public Schema<Row> decodedSchema() {
        return Row.schema(decodedNames());
    }

    /** The fields of a row before it is decoded, in order. */
    public List<TableField> fields() {
        return names.stream()
                .map(name -> switch (name) {
                    case BOXES -> new TableField(name, DType.F32, 2);
                    case KEYPOINTS -> new TableField(name, DType.F32, 3);
                    case MASK -> new TableField(name, DType.U8, kind.equals("coco") ? 2 : 1);
                    case CLASSES, LENGTHS, SIZE -> new TableField(name, DType.I32, 1);
                    default -> new TableField(name, DType.U8, 1);
                })
                .toList();
    }

    private List<String> decodedNames() {
        List<String> decoded = new ArrayList<>(names.subList(0, names.size() - 1));
        decoded.set(0, PIXELS);
        return decoded;
    }

    /**
     * The same samples with decoded pictures, and without {@code size}. Boxes are in pixels then. A picture whose size
     * is not that of its mask or of its annotations fails.
     * @param stage   the decoders' name, as for {@link Dataset#map}
     * @param picture makes {@code u8[h, w, 3]} of a file
     * @param mask    makes {@code [h, w]} of a file with a mask
     */
    public Dataset<Row> decode(String stage, UnaryOperator<Tensor> picture, UnaryOperator<Tensor> mask) {
        return keepable(schema()).map(stage, decoding(picture, mask));
    }

    /** What {@link #decode} does to a row: for those who do something to the rows of files before. */
    public Function<Row, Row> decoding(UnaryOperator<Tensor> picture, UnaryOperator<Tensor> mask) {
        return new Decoding(decodedNames(), picture, mask, kind.equals("yolo"));
    }

    @Override
    public long size() {
        return read.images().size();
    }

    @Override
    public Fingerprint fingerprint() {
        return fingerprint;
    }

    /**
     * Fails with a {@link FormatException} if the image's annotations cannot be used, and with a {@link StoreException}
     * if its file is missing, too large, or not as it was listed.
     */
    @Override
    public Mono<Row> get(long index) {
        int image = at(index);
        Annotations.Image of = of(image);
        StoreEntry file = read.images().get(image);
        if (!of.fault().isEmpty()) {
            return Mono.error(
                    () -> new FormatException("%s in %s: %s".formatted(of.name(), store.location(), of.fault())));
        }
        if (file == null || file.size() > MAX_BYTES) {
            String why = file == null ? "is missing, although it is annotated" : "is too large";
            return Mono.error(() -> new StoreException("%s in %s %s".formatted(of.name(), store.location(), why)));
        }
        Mono<ByteBuffer> bytes = Mono.defer(() -> store.read(file));
        return read.masks().isEmpty()
                ? bytes.map(picture -> row(of, picture, null))
                : bytes.zipWith(
                        Mono.defer(() -> maskStore.read(read.masks().get(image))),
                        (picture, mask) -> row(of, picture, mask));
    }

    private Row row(Annotations.Image of, ByteBuffer picture, @Nullable ByteBuffer mask) {
        int count = of.labels().length;
        Function<String, Tensor> value = name -> switch (name) {
            case IMAGE -> file(picture);
            case BOXES -> Tensor.ofFloats(of.boxes(), count, 4);
            case CLASSES -> Tensor.ofInts(of.labels());
            case CROWD -> Tensor.ofBytes(of.crowd());
            case KEYPOINTS -> Tensor.ofFloats(of.points(), count, annotations.eachPoints() / 3, 3);
            case MASK -> mask == null ? CocoSegments.painted(of, annotations.classes().length) : file(mask);
            case CAPTIONS -> Tensor.ofBytes(of.bytes());
            case LENGTHS -> Tensor.ofInts(of.lengths());
            default -> Tensor.ofInts(new int[] {of.height(), of.width()});
        };
        return new Row(names, names.stream().map(value).toList());
    }

    static Tensor file(ByteBuffer bytes) {
        return Tensor.of(DType.U8, Shape.of(bytes.remaining()), bytes);
    }

    /** The image's path. Its state is the folder, the file's size and time, and a hash of its annotations. */
    @Override
    public SampleId id(long index) {
        int image = at(index);
        SampleKey key = new SampleKey(keys[2 * image], keys[2 * image + 1]);
        return SampleId.of(key, of(image)::name, () -> state(image));
    }

    private List<String> state(int image) {
        StoreEntry file = read.images().get(image);
        List<String> states = new ArrayList<>(List.of("in " + store.location()));
        states.addAll(file == null ? List.of("not there", "not there") : store.state(file));
        SampleKey said = of(image).key(SampleKey.of(labels().toString()));
        states.add("annotations %016x".formatted(said.high()));
        if (!read.masks().isEmpty()) {
            states.add("mask " + String.join(", ", maskStore.state(read.masks().get(image))));
        }
        return states;
    }

    private Annotations.Image of(int image) {
        return annotations.images()[image];
    }

    private int at(long index) {
        return (int) Objects.checkIndex(index, size());
    }

    @Override
    public String toString() {
        int count = Arrays.stream(annotations.images())
                .mapToInt(image -> image.labels().length)
                .sum();
        return "%s in %s, %d images, %d annotations".formatted(kind, store.location(), size(), count);
    }
}

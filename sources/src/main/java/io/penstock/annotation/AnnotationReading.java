package io.penstock.annotation;

import io.penstock.cache.SampleKey;
import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.folder.ImageFolder;
import io.penstock.internal.OptionalLibrary;
import io.penstock.store.Store;
import io.penstock.store.StoreEntry;
import io.penstock.store.internal.FileNames;
import io.penstock.store.internal.InOrder;
import io.penstock.store.internal.StoreFiles;
import io.penstock.store.internal.StoreInput;
import io.penstock.store.internal.Waiting;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The files of a data set as a store lists them, and what its annotation files say.
 *
 * @param images      in the order of the samples; null where there is no file
 * @param masks       of the images; none where no mask is a file
 * @param annotations of the images
 * @param unmatched   the files that have no partner
 */
record AnnotationReading(
        List<@Nullable StoreEntry> images, List<StoreEntry> masks, Annotations annotations, List<String> unmatched) {

    private static final int AT_ONCE = 16;

    /** No annotation file of one image is larger. */
    private static final long MAX_ONE = 64 << 20;

    private static final String VOC_XML = "Annotations/";
    private static final String VOC_IMAGES = "JPEGImages/";
    private static final String VOC_MASKS = "SegmentationClass/";
    private static final String YOLO_IMAGES = "images/";
    private static final String YOLO_LABELS = "labels/";

    /** What lies in a store, by its keys, in their order; hidden files are left out. */
    static TreeMap<String, StoreEntry> list(Store store) {
        TreeMap<String, StoreEntry> found = new TreeMap<>(FileNames.BY_BYTES);
        found.putAll(unordered(store));
        return found;
    }

    private static Map<String, StoreEntry> unordered(Store store) {
        Map<String, StoreEntry> found = new HashMap<>();
        store.list((key, size, version) -> {
            if (!key.startsWith(".") && !key.contains("/.")) {
                found.put(key, new StoreEntry(key, size, version));
            }
        });
        return found;
    }

    static String withoutExtension(String key) {
        int dot = key.lastIndexOf('.');
        return dot <= key.lastIndexOf('/') + 1 ? key : key.substring(0, dot);
    }

    /** Images without annotations. */
    static AnnotationReading bare(Store images) {
        List<StoreEntry> found = list(images).values().stream()
                .filter(image -> ImageFolder.isImage(image.key()))
                .toList();
        return new AnnotationReading(found, List.of(), none(images, found), List.of());
    }

    private static Annotations none(Store store, List<StoreEntry> images) {
        Annotations.Builder none = new Annotations.Builder(store.location(), id -> "image " + id);
        for (int i = 0; i < images.size(); i++) {
            none.image(i, images.get(i).key(), 0, 0);
        }
        return none.build();
    }

    /** Images and masks whose paths differ in their extensions alone. */
    static AnnotationReading pairs(Store images, Store masks) {
        Map<String, StoreEntry> partners = byName(masks, list(masks), ImageFolder::isImage);
        List<StoreEntry> paired = new ArrayList<>();
        List<StoreEntry> theirs = new ArrayList<>();
        List<String> unmatched = new ArrayList<>();
        byName(images, list(images), ImageFolder::isImage).forEach((name, image) -> {
            StoreEntry mask = partners.remove(name);
            if (mask == null) {
                unmatched.add(image.key());
            } else {
                paired.add(image);
                theirs.add(mask);
            }
        });
        partners.values().forEach(mask -> unmatched.add(mask.key()));
        if (paired.isEmpty()) {
            throw new StoreException(
                    "no image in %s has a mask in %s: their paths must be equal but for the extension; such as %s"
                            .formatted(
                                    images.location(),
                                    masks.location(),
                                    unmatched.isEmpty() ? "none" : unmatched.get(0)));
        }
        return new AnnotationReading(paired, theirs, none(images, paired), unmatched);
    }

    private static Map<String, StoreEntry> byName(
            Store store, TreeMap<String, StoreEntry> files, Predicate<String> chosen) {
        BinaryOperator<StoreEntry> refuse = (twin, file) -> {
            throw new StoreException("%s has two files of one name: %s and %s; remove or rename one"
                    .formatted(store.location(), twin.key(), file.key()));
        };
        return files.values().stream()
                .filter(file -> chosen.test(file.key()))
                .collect(Collectors.toMap(
                        file -> withoutExtension(file.key()), Function.identity(), refuse, LinkedHashMap::new));
    }

    /** The images of a file of COCO's format, in its order. */
    static AnnotationReading coco(Store store, String key, Store images, List<String> fields, @Nullable Path kept) {
        StoreEntry file =
                StoreFiles.ofKeys("annotations", store, List.of(key)).entries().get(0);
        String name = "%s in %s".formatted(key, store.location());
        SampleKey state = SampleKey.of("coco", store.location(), key, fields.toString())
                .with(file.size())
                .with(file.version());
        Annotations read = parsed(kept, state, () -> {
            try (StoreInput in = StoreInput.of(store, file)) {
                return CocoFile.read(in, name, fields);
            }
        });
        Map<String, StoreEntry> listed = unordered(images);
        List<@Nullable StoreEntry> files =
                Stream.of(read.images()).map(image -> listed.get(image.name())).toList();
        return new AnnotationReading(files, List.of(), read, List.of());
    }

    /** The images that have annotation files in Pascal VOC's folders. */
    static AnnotationReading voc(Store store, String split, List<String> fields, @Nullable Path kept) {
        TreeMap<String, StoreEntry> listed = list(store);
        Map<String, StoreEntry> images = byName(store, listed, key -> key.startsWith(VOC_IMAGES));
        boolean masked = fields.contains(AnnotatedImages.MASK);
        String all = "ImageSets/%s/%s.txt".formatted(masked ? "Segmentation" : "Main", split);
        List<String> names = split.isEmpty()
                ? listed.keySet().stream()
                        .filter(key -> key.startsWith(VOC_XML) && key.endsWith(".xml"))
                        .map(key -> withoutExtension(key).substring(VOC_XML.length()))
                        .toList()
                : lines(store, listed, all)
                        .map(line -> listed.containsKey(VOC_XML + line + ".xml")
                                ? line
                                : line.replaceFirst("\\s+-?[01]$", "")) // of one class: whether it is there
                        .toList();
        List<String> unmatched = new ArrayList<>();
        List<@Nullable StoreEntry> xmls = new ArrayList<>();
        List<StoreEntry> masks = new ArrayList<>();
        List<@Nullable StoreEntry> files = new ArrayList<>();
        for (String name : names) {
            StoreEntry xml = listed.get(VOC_XML + name + ".xml");
            StoreEntry mask = listed.get(VOC_MASKS + name + ".png");
            if (xml == null || masked && mask == null) {
                unmatched.add((xml == null ? VOC_XML : VOC_MASKS) + name);
            } else {
                xmls.add(xml);
                files.add(images.get(VOC_IMAGES + name));
                if (masked && mask != null) {
                    masks.add(mask);
                }
            }
        }
        requireSome(store, xmls, "annotation files in Annotations" + (masked ? " with masks" : ""));
        SampleKey state = state("voc", store, files, xmls);
        Annotations read =
                parsed(kept, state, () -> perImage(store, files, xmls, List.of(), bytes -> VocFiles.read(bytes)));
        return new AnnotationReading(files, masks, read, unmatched);
    }

    /** The images below {@code images/}, with the labels of the same paths below {@code labels/}. */
    static AnnotationReading yolo(Store store, String split, @Nullable Path kept) {
        TreeMap<String, StoreEntry> listed = list(store);
        String below = split.isEmpty() ? "" : split + "/";
        Map<String, StoreEntry> images =
                byName(store, listed, key -> key.startsWith(YOLO_IMAGES + below) && ImageFolder.isImage(key));
        requireSome(store, images.keySet(), "images below " + YOLO_IMAGES + below);
        String names = Stream.concat(
                        Stream.of("classes.txt", "data.yaml"),
                        listed.keySet().stream().filter(key -> key.matches("[^/]+\\.ya?ml")))
                .filter(listed::containsKey)
                .findFirst()
                .orElseThrow(() -> new StoreException(
                        "no names of classes in %s: no classes.txt, and no YAML".formatted(store.location())));
        List<String> classes =
                YoloFiles.names(names, lines(store, listed, names).toList());
        List<@Nullable StoreEntry> files = new ArrayList<>(images.values());
        List<@Nullable StoreEntry> texts = new ArrayList<>(); // an image without objects need not have one
        TreeMap<String, StoreEntry> labels = new TreeMap<>(listed);
        labels.keySet().removeIf(key -> !key.startsWith(YOLO_LABELS + below) || !key.endsWith(".txt"));
        for (String image : images.keySet()) {
            texts.add(labels.remove(YOLO_LABELS + image.substring(YOLO_IMAGES.length()) + ".txt"));
        }
        SampleKey state = state("yolo " + classes, store, files, texts);
        Annotations read = parsed(
                kept, state, () -> perImage(store, files, texts, classes, bytes -> YoloFiles.read(bytes, classes)));
        return new AnnotationReading(files, List.of(), read, List.copyOf(labels.keySet()));
    }

    /** Kryo's classes are looked for only where something is kept. */
    private static Annotations parsed(@Nullable Path kept, SampleKey state, Supplier<Annotations> parsing) {
        if (kept == null) {
            return parsing.get();
        }
        OptionalLibrary.KRYO.require("keeping annotations", AnnotationReading.class);
        return KeptAnnotations.of(kept, state, parsing);
    }

    private static void requireSome(Store store, Collection<?> found, String what) {
        if (found.isEmpty()) {
            throw new StoreException("no %s in %s".formatted(what, store.location()));
        }
    }

    private static SampleKey state(
            String kind, Store store, List<@Nullable StoreEntry> images, List<@Nullable StoreEntry> texts) {
        SampleKey state = SampleKey.of(kind, store.location());
        for (int i = 0; i < images.size(); i++) {
            StoreEntry image = images.get(i);
            StoreEntry text = texts.get(i);
            state = state.with(SampleKey.of(image == null ? "" : image.key()));
            if (text != null) {
                state = state.with(SampleKey.of(text.key())).with(text.size()).with(text.version());
            }
        }
        return state;
    }

    /**
     * Parses an annotation file an image, several at once. A file that is none is a fault of its image. Blocks.
     * @param classes in their order; none where they are what the files name
     */
    private static Annotations perImage(
            Store store,
            List<@Nullable StoreEntry> images,
            List<@Nullable StoreEntry> texts,
            List<String> classes,
            Function<byte[], VocFiles.Scene> parse) {
        List<VocFiles.Scene> scenes = Waiting.forValue(Flux.range(0, texts.size())
                .transform(InOrder.map(AT_ONCE, (Integer i) -> scene(store, texts.get(i), parse)))
                .collectList());
        Annotations.Builder found = new Annotations.Builder(
                store.location(), id -> "%s: object %d".formatted(name(texts.get((int) (id >> 32))), (int) id));
        List<String> names = classes.isEmpty()
                ? scenes.stream()
                        .flatMap(scene -> scene.things().stream().map(VocFiles.Thing::name))
                        .distinct()
                        .sorted()
                        .toList()
                : classes;
        Map<String, Long> numbers = new HashMap<>();
        for (String name : names) {
            found.category(numbers.size(), name);
            numbers.put(name, (long) numbers.size());
        }
        for (int image = 0; image < scenes.size(); image++) {
            VocFiles.Scene scene = scenes.get(image);
            StoreEntry file = images.get(image);
            String text = name(texts.get(image));
            found.image(image, file == null ? "the image of " + text : file.key(), scene.height(), scene.width());
            if (!scene.fault().isEmpty()) {
                found.fault(image, text + ": " + scene.fault());
            }
            long id = (long) image << 32;
            for (VocFiles.Thing thing : scene.things()) {
                long category = numbers.getOrDefault(thing.name(), -1L);
                found.add(new Annotations.One(id++, image, category, false, thing.box(), new float[0], new byte[0]));
            }
        }
        return found.build();
    }

    private static String name(@Nullable StoreEntry text) {
        return text == null ? "no text" : text.key();
    }

    private static Mono<VocFiles.Scene> scene(
            Store store, @Nullable StoreEntry text, Function<byte[], VocFiles.Scene> parse) {
        if (text == null || text.size() > MAX_ONE) {
            return Mono.just(VocFiles.Scene.broken(text == null ? "" : "it has %d bytes".formatted(text.size())));
        }
        return store.read(text).map(bytes -> {
            try {
                return parse.apply(AnnotatedImages.file(bytes).toByteArray());
            } catch (FormatException e) {
                return VocFiles.Scene.broken(String.valueOf(e.getMessage()));
            }
        });
    }

    /** The lines of a text that are not blank. */
    private static Stream<String> lines(Store store, Map<String, StoreEntry> listed, String key) {
        StoreEntry file = listed.get(key);
        if (file == null || file.size() > MAX_ONE) {
            throw new StoreException("no %s in %s".formatted(key, store.location()));
        }
        return text(AnnotatedImages.file(Waiting.forValue(store.read(file))).toByteArray())
                .lines()
                .map(String::stripTrailing)
                .filter(line -> !line.isEmpty());
    }

    /** Without the mark that Windows writes at its beginning. */
    static String text(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        return text.startsWith("\uFEFF") ? text.substring(1) : text;
    }
}

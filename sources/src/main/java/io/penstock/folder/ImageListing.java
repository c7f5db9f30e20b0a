package io.penstock.folder;

import io.penstock.pipeline.StoreException;
import io.penstock.store.Store;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Collects a store's images, and the class folders that they lie in. */
final class ImageListing implements Store.Visitor {

    static final List<String> EXTENSIONS = List.of("jpg", "jpeg", "png", "gif", "bmp", "webp");

    private static final Logger LOG = LoggerFactory.getLogger(ImageListing.class);
    private static final Set<String> WANTED = Set.copyOf(EXTENSIONS);
    static final Comparator<String> BY_BYTES =
            Comparator.comparing(name -> name.getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned);

    private final String location;
    private final int depth;
    private final List<Found> images = new ArrayList<>();
    private final Set<String> classFolders = new HashSet<>(); // that the store told of
    private final Set<String> classes = new HashSet<>(); // that have images
    private final List<String> outsideClasses = new ArrayList<>();

    /** An image of a class; the path as it will be sorted and kept. */
    static final class Found {
        final byte[] path;
        final long size;
        final long version;

        Found(byte[] path, long size, long version) {
            this.path = path;
            this.size = size;
            this.version = version;
        }
    }

    ImageListing(String location, int depth) {
        this.location = location;
        this.depth = depth;
    }

    @Override
    public boolean folder(String key) {
        if (folderEnd(key + "/", depth) == key.length()) {
            classFolders.add(key);
        }
        return true;
    }

    @Override
    public void file(String key, long size, long version) {
        if (!isImage(key)) {
            return;
        }
        int end = folderEnd(key, depth);
        if (end < 0) {
            outsideClasses.add(key);
            return;
        }
        classes.add(key.substring(0, end));
        images.add(new Found(key.getBytes(StandardCharsets.UTF_8), size, version));
    }

    static boolean isImage(String key) {
        return WANTED.contains(extension(key));
    }

    private static String extension(String key) {
        int dot = key.lastIndexOf('.');
        return dot < key.lastIndexOf('/') ? "" : key.substring(dot + 1).toLowerCase(Locale.ROOT);
    }

    /** Where the first {@code depth} parts of a path end, or -1 if a file of this path lies higher up. */
    static int folderEnd(String key, int depth) {
        int end = -1;
        for (int i = 0; i < depth; i++) {
            end = key.indexOf('/', end + 1);
            if (end < 0) {
                return -1;
            }
        }
        return end;
    }

    /** The images in the order of their indices, once all are collected and found to be what was asked for. */
    List<Found> sorted() {
        if (images.isEmpty()) {
            throw new StoreException(
                    outsideClasses.isEmpty()
                            ? "no images below %s: looked for %s".formatted(location, EXTENSIONS)
                            : "no class folders with images in %s: found %d images outside of them, the first %s; put the images of each class into a folder of its own%s"
                                    .formatted(
                                            location,
                                            outsideClasses.size(),
                                            outsideClasses.get(0),
                                            depth == 1 ? "" : ", " + depth + " levels down"));
        }
        requireFilled();
        if (!outsideClasses.isEmpty()) {
            LOG.warn(
                    "left out {} images in {} that lie in no class folder; the first is {}",
                    outsideClasses.size(),
                    location,
                    outsideClasses.get(0));
        }
        images.sort(Comparator.comparing(image -> image.path, Arrays::compareUnsigned));
        return images;
    }

    private void requireFilled() {
        classFolders.removeAll(classes);
        if (!classFolders.isEmpty()) {
            throw new StoreException(
                    "no images in class folder %s of %s, and %d such: looked for %s; remove them, or labels would differ from those of data that has these classes"
                            .formatted(
                                    classFolders.stream().min(BY_BYTES).orElseThrow(),
                                    location,
                                    classFolders.size(),
                                    EXTENSIONS));
        }
    }

    /** The class folders' paths, in the order of their labels. */
    List<String> labels() {
        return classes.stream().sorted(BY_BYTES).toList();
    }
}

package io.penstock.folder;

import io.penstock.fault.StoreException;
import io.penstock.store.Store;
import io.penstock.store.internal.FileNames;
import io.penstock.store.internal.Utf8;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Collects a store's images, and the class folders that they lie in. */
final class ImageListing implements Store.Visitor {

    static final List<String> EXTENSIONS = List.of("jpg", "jpeg", "png", "gif", "bmp", "webp");

    private static final Set<String> SUFFIXES = Set.copyOf(EXTENSIONS);

    private final String location;
    private final List<Found> images = new ArrayList<>();
    private final List<String> folders = new ArrayList<>(); // that the store named
    private final List<String> outsideClasses = new ArrayList<>();
    private final Set<String> classes = new HashSet<>(); // that have images
    private final int wrappers; // levels of folders that hold one folder each, above what may be classes

    /** An image; the path as it will be sorted and kept. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Found(byte[] path, long size, long version) {

        String key() {
            return new String(path, StandardCharsets.UTF_8);
        }

        /** Whether this lies in the folder of another one, whose path has this length with its slash. */
        boolean isIn(Found other, int folder) {
            return path.length >= folder && Arrays.equals(path, 0, folder, other.path, 0, folder);
        }
    }

    /** Lists a store. */
    ImageListing(Store store) {
        this.location = store.location();
        store.list(this);
        images.sort(Comparator.comparing(image -> image.path, Arrays::compareUnsigned));
        for (int i = 1; i < images.size(); i++) {
            if (Arrays.equals(images.get(i - 1).path, images.get(i).path)) {
                throw new StoreException(
                        "%s lists %s twice".formatted(location, images.get(i).key()));
            }
        }
        this.wrappers = images.isEmpty() ? 0 : commonLevels();
    }

    @Override
    public boolean folder(String key) {
        folders.add(key);
        return true;
    }

    @Override
    public void file(String key, long size, long version) {
        // archives made on a Mac have hidden files named as the images are
        if (isImage(key) && !key.startsWith(".") && !key.contains("/.")) {
            if (Utf8.hasHalfPair(key)) {
                throw new StoreException(
                        "%s lists a name with half of a surrogate pair, which is no UTF-8: %s; rename it"
                                .formatted(location, key));
            }
            images.add(new Found(key.getBytes(StandardCharsets.UTF_8), size, version));
        }
    }

    static boolean isImage(String key) {
        return SUFFIXES.contains(extension(key));
    }

    private static String extension(String key) {
        int dot = key.lastIndexOf('.');
        return dot < key.lastIndexOf('/') ? "" : key.substring(dot + 1).toLowerCase(Locale.ROOT);
    }

    /** Where the first {@code levels} parts of a path end, or -1 if a file of this path lies higher up. */
    static int folderEnd(String key, int levels) {
        int end = -1;
        for (int i = 0; i < levels; i++) {
            end = key.indexOf('/', end + 1);
            if (end < 0) {
                return -1;
            }
        }
        return end;
    }

    /** The folders that all images have in common, but for one that each image still lies in. */
    private int commonLevels() {
        byte[] first = images.get(0).path;
        int common = first.length;
        int shallowest = Integer.MAX_VALUE;
        for (Found image : images) {
            int differs = Arrays.mismatch(first, 0, common, image.path, 0, Math.min(common, image.path.length));
            common = differs < 0 ? common : differs;
            shallowest = Math.min(shallowest, folders(image.path, image.path.length));
        }
        return Math.max(0, Math.min(folders(first, common), shallowest - 1));
    }

    private static int folders(byte[] path, int end) {
        int count = 0;
        for (int i = 0; i < end; i++) {
            count += path[i] == '/' ? 1 : 0;
        }
        return count;
    }

    /** The depth of what was packed into an archive, of which a folder around all of it is no level. */
    int belowTopFolder(int depth) {
        return depth < wrappers ? depth + 1 : depth;
    }

    /**
     * The images in class folders below {@code depth} levels, in the order of their indices, once they are what was
     * asked for.
     */
    List<Found> sorted(int depth) {
        List<Found> inClasses = new ArrayList<>(images.size());
        @Nullable Found last = null;
        int folder = 0; // the length of the last one's, with its slash
        for (Found image : images) {
            if (last == null || !image.isIn(last, folder)) { // images of a class follow each other
                String key = image.key();
                int end = folderEnd(key, depth + 1);
                if (end < 0) {
                    outsideClasses.add(key);
                    continue;
                }
                String path = key.substring(0, end);
                classes.add(path);
                last = image;
                folder = path.getBytes(StandardCharsets.UTF_8).length + 1;
            }
            inClasses.add(image);
        }
        requireSome(depth);
        requireFilled(depth);
        return inClasses;
    }

    /** The warnings about the images in class folders below {@code depth} levels, which have been sorted. */
    List<String> warnings(int depth) {
        List<String> warnings = new ArrayList<>();
        if (!outsideClasses.isEmpty()) {
            warnings.add("left out %d images in %s that lie in no class folder; the first is %s"
                    .formatted(outsideClasses.size(), location, outsideClasses.get(0)));
        }
        if (classes.size() == 1 && wrappers > depth) {
            warnings.add(
                    "all images in %s are of one class, \"%s\", and lie in folders within it; if those are the classes, "
                                    .formatted(location, paths().get(0))
                            + "say so with depth %d (--depth %d), or name the folder that holds them"
                                    .formatted(wrappers, wrappers));
        }
        return warnings;
    }

    private void requireSome(int depth) {
        if (images.isEmpty()) {
            throw new StoreException("no images below %s: looked for %s".formatted(location, EXTENSIONS));
        }
        if (classes.isEmpty()) {
            throw new StoreException(
                    ("no class folders with images in %s: found %d images outside of them, the first %s; put the"
                                    + " images of each class into a folder of its own%s; without classes they are"
                                    + " images:DIR#pixels (AnnotatedImages)")
                            .formatted(
                                    location,
                                    outsideClasses.size(),
                                    outsideClasses.get(0),
                                    depth == 0
                                            ? ""
                                            : ", below " + depth + " levels of folders, or take a smaller depth"));
        }
    }

    private void requireFilled(int depth) {
        List<String> empty = folders.stream()
                .filter(key -> folderEnd(key + "/", depth + 1) == key.length() && !classes.contains(key))
                .sorted(FileNames.BY_BYTES)
                .toList();
        if (!empty.isEmpty()) {
            String others = empty.size() == 1 ? "" : " and %d more".formatted(empty.size() - 1);
            throw new StoreException(
                    ("no images in class folder %s%s of %s: looked for %s; remove what is empty, or labels would"
                                    + " differ from those of data that has these classes")
                            .formatted(empty.get(0), others, location, EXTENSIONS));
        }
    }

    /** The class folders' paths, in the order of their labels. */
    List<String> paths() {
        return classes.stream().sorted(FileNames.BY_BYTES).toList();
    }

    /** The same as names: without the folders around all of them. */
    List<String> labels(int depth) {
        List<String> paths = paths();
        int start = folderEnd(paths.get(0), Math.min(depth, wrappers)) + 1;
        return paths.stream().map(path -> path.substring(start)).toList();
    }
}

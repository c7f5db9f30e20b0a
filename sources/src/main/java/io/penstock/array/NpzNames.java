package io.penstock.array;

import io.penstock.fault.StoreException;
import io.penstock.store.Store;
import java.util.List;
import java.util.TreeSet;

/** The arrays of an npz archive by their names. The entry of an array is its name and {@code .npy}. */
record NpzNames(String location, List<String> names) {

    private static final String EXTENSION = ".npy";
    private static final int MAX_SHOWN = 20;

    /** Lists an archive. */
    static NpzNames of(Store archive) {
        TreeSet<String> names = new TreeSet<>();
        archive.list((key, size, version) -> {
            if (key.endsWith(EXTENSION)) {
                names.add(name(key));
            }
        });
        return new NpzNames(archive.location(), List.copyOf(names));
    }

    /**
     * The entries of some arrays, or of all if none are named, in the order of their names.
     * @throws StoreException if there is no such array, or none at all
     */
    List<String> keys(List<String> arrays) {
        if (arrays.isEmpty() && !names.isEmpty()) {
            return names.stream().map(name -> name + EXTENSION).toList();
        }
        return (arrays.isEmpty() ? List.of("") : arrays).stream().map(this::key).toList();
    }

    /** The array of an entry. */
    static String name(String key) {
        return key.substring(0, key.length() - EXTENSION.length());
    }

    /**
     * The entry of an array.
     * @param array its name; empty for the one there is
     * @throws StoreException if there is no such array, or none was named of several
     */
    String key(String array) {
        if (names.isEmpty()) {
            throw new StoreException(
                    "no arrays in %s: an npz archive has entries that end in .npy".formatted(location));
        }
        if (array.isEmpty() && names.size() == 1) {
            return names.get(0) + EXTENSION;
        }
        if (!names.contains(array)) {
            String missing = array.isEmpty() ? "" : "no array \"%s\" in it: ".formatted(array);
            throw new StoreException("%s is an npz archive of %d arrays; %sname one of them: %s%s"
                    .formatted(
                            location,
                            names.size(),
                            missing,
                            String.join(", ", names.subList(0, Math.min(MAX_SHOWN, names.size()))),
                            names.size() > MAX_SHOWN ? ", …" : ""));
        }
        return array + EXTENSION;
    }
}

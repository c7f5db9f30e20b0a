package io.penstock.records;

import io.penstock.pipeline.StoreException;
import io.penstock.store.FileStore;
import io.penstock.store.Store;
import io.penstock.store.StoreEntry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;

/** Which files are meant, in the order of their records, and the store that reads them. */
record RecordListing(FileStore store, List<StoreEntry> files) {

    private static final Comparator<StoreEntry> BY_KEY =
            Comparator.comparing(file -> file.key().getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned);

    static RecordListing of(Path path) {
        if (Files.isDirectory(path)) {
            return below(path, key -> true, true);
        }
        Path name = path.getFileName();
        if (!Files.exists(path) && name != null && Glob.isPattern(name.toString())) {
            Path folder = Objects.requireNonNull(path.toAbsolutePath().getParent(), "what has a name has a folder");
            return below(folder, Glob.of(name.toString()), false);
        }
        return of(List.of(path));
    }

    private static RecordListing below(Path folder, Predicate<String> wanted, boolean deep) {
        FileStore store = FileStore.open(folder);
        List<StoreEntry> files = new ArrayList<>();
        store.list(new Store.Visitor() {
            @Override
            public boolean folder(String key) {
                return deep;
            }

            @Override
            public void file(String key, long size, long version) {
                if (wanted.test(key)) {
                    files.add(new StoreEntry(key, size, version));
                }
            }
        });
        if (files.isEmpty()) {
            throw new StoreException(
                    "no records in %s: no file %s".formatted(folder, deep ? "below it" : "matches " + wanted));
        }
        files.sort(BY_KEY);
        return new RecordListing(store, List.copyOf(files));
    }

    static RecordListing of(List<Path> paths) {
        if (paths.isEmpty()) {
            throw new IllegalArgumentException("name at least one file of records");
        }
        FileStore store = FileStore.openAround(paths);
        List<StoreEntry> files = new ArrayList<>();
        for (Path path : paths) {
            files.add(store.entry(path));
        }
        files.sort(BY_KEY);
        for (int i = 1; i < files.size(); i++) {
            if (files.get(i).key().equals(files.get(i - 1).key())) {
                throw new IllegalArgumentException(
                        "a file of records is named twice: " + files.get(i).key());
            }
        }
        return new RecordListing(store, List.copyOf(files));
    }
}

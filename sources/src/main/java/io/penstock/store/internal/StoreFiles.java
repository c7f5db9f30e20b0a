package io.penstock.store.internal;

import io.penstock.cache.Fingerprint;
import io.penstock.fault.StoreException;
import io.penstock.internal.Arguments;
import io.penstock.internal.GuardedScheduler;
import io.penstock.internal.Thrown;
import io.penstock.store.FileStore;
import io.penstock.store.Store;
import io.penstock.store.StoreEntry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * Which files of a store a source is made of, in the order of their keys, byte by byte in UTF-8: the same on every
 * machine.
 *
 * <p>Named by a path, by keys, or by a pattern: {@code train/part-*.bin}, with {@code *}, {@code ?}, {@code [a-z]} and
 * {@code {a,b}} in the last part of the key, or by a range of numbers, {@code shard-{000..127}.tar}. Every factory
 * reads the files' states, not the files, and blocks while it does; {@code what} says in errors what the files were to
 * hold.
 */
public final class StoreFiles implements AutoCloseable {

    private static final String BELOW = "below it";
    private static final int ASKED_AT_ONCE = 16;
    private static final int AT_ONCE = 8;

    private final Store store;
    private final List<StoreEntry> entries;
    private final Runnable closing;

    private StoreFiles(Store store, List<StoreEntry> entries, Runnable closing) {
        this.store = store;
        this.entries = entries;
        this.closing = closing;
    }

    /**
     * One file, all files below a folder (hidden ones left out), or those in a folder whose names match a pattern.
     * @throws StoreException if there is none, or something cannot be listed
     */
    public static StoreFiles of(String what, Path path) {
        if (Files.isDirectory(path)) {
            return within(what, FileStore.open(path), "", key -> true, BELOW, true, true);
        }
        Path name = path.getFileName();
        if (name != null && Braces.isRange(name.toString())) {
            return of(
                    what,
                    Braces.expand(name.toString()).stream()
                            .map(path::resolveSibling)
                            .toList());
        }
        if (!Files.exists(path) && name != null && Glob.isPattern(name.toString())) {
            Path folder = Objects.requireNonNull(path.toAbsolutePath().getParent(), "what has a name has a folder");
            Glob glob = Glob.of(name.toString());
            return within(what, FileStore.open(folder), "", glob, "matches " + glob, false, true);
        }
        return of(what, List.of(path));
    }

    /** The files below a folder whose names have one of these ends, and begin with neither {@code _} nor a point. */
    public static StoreFiles below(String what, Path folder, List<String> ends) {
        return within(what, FileStore.open(folder), "", ending(ends), below(ends), true, true);
    }

    /** The same of a store's folder; empty for all of the store. The store stays the caller's. */
    public static StoreFiles below(String what, Store store, String folder, List<String> ends) {
        String prefix = folder.isEmpty() || folder.endsWith("/") ? folder : folder + "/";
        return within(what, store, prefix, ending(ends), below(ends), true, false);
    }

    private static Predicate<String> ending(List<String> ends) {
        return key -> {
            char first = key.charAt(key.lastIndexOf('/') + 1);
            return first != '_' && first != '.' && ends.stream().anyMatch(key::endsWith);
        };
    }

    private static String below(List<String> ends) {
        return BELOW + " ends in " + String.join(" or ", ends);
    }

    /**
     * These files, in the order of their paths, not of the list.
     * @throws StoreException if one does not exist
     * @throws IllegalArgumentException if there are none, or one is named twice
     */
    public static StoreFiles of(String what, List<Path> paths) {
        requireSome(what, paths);
        FileStore store = FileStore.openAround(paths);
        List<StoreEntry> files = new ArrayList<>();
        for (Path path : paths) {
            files.add(store.entry(path));
        }
        return new StoreFiles(store, sorted(what, files), store::close);
    }

    /**
     * The file of a key, or those of a folder of the store whose names match a pattern. The store stays the caller's.
     * @throws StoreException if there is none, or the store cannot be listed
     */
    public static StoreFiles of(String what, Store store, String keyOrPattern) {
        int slash = keyOrPattern.lastIndexOf('/');
        String name = keyOrPattern.substring(slash + 1);
        if (Braces.isRange(keyOrPattern)) {
            return ofKeys(what, store, Braces.expand(keyOrPattern));
        }
        if (!Glob.isPattern(name)) {
            return ofKeys(what, store, List.of(keyOrPattern));
        }
        Glob glob = Glob.of(name);
        String folder = keyOrPattern.substring(0, slash + 1);
        return within(what, store, folder, glob, "matches " + keyOrPattern, false, false);
    }

    /**
     * The files of these keys, in the order of the keys, not of the list. The store stays the caller's.
     * @throws StoreException if one does not exist
     * @throws IllegalArgumentException if there are none, or one is named twice
     */
    public static StoreFiles ofKeys(String what, Store store, List<String> keys) {
        requireSome(what, keys);
        List<StoreEntry> files = Waiting.forValue(Flux.fromIterable(keys)
                .transform(InOrder.map(ASKED_AT_ONCE, key -> store.entry(key).switchIfEmpty(missing(store, key))))
                .collectList());
        return new StoreFiles(store, sorted(what, files), () -> {});
    }

    /**
     * Of each list of keys the first that exists, in the order of the lists. The store stays the caller's.
     * @param closing what {@link #close} does
     * @throws StoreException if of one list none exists
     * @throws IllegalArgumentException if there are none, or one is named twice
     */
    public static StoreFiles ofFirst(String what, Store store, List<List<String>> keys, Runnable closing) {
        requireSome(what, keys);
        List<StoreEntry> files = Waiting.forValue(Flux.fromIterable(keys)
                .transform(InOrder.map(ASKED_AT_ONCE, each -> first(store, each)))
                .collectList());
        sorted(what, files); // refuses a file that is named twice
        return new StoreFiles(store, List.copyOf(files), closing);
    }

    private static Mono<StoreEntry> first(Store store, List<String> keys) {
        return Flux.fromIterable(keys).concatMap(store::entry).next().switchIfEmpty(missing(store, keys.get(0)));
    }

    private static Mono<StoreEntry> missing(Store store, String key) {
        return Mono.error(
                () -> new StoreException("cannot read %s in %s: no such file".formatted(key, store.location())));
    }

    private static void requireSome(String what, List<?> names) {
        Arguments.refuse(names.isEmpty(), "name at least one file of %s", what);
    }

    private static StoreFiles within(
            String what,
            Store store,
            String folder,
            Predicate<String> chosen,
            String said,
            boolean deep,
            boolean owned) {
        List<StoreEntry> files = new ArrayList<>();
        store.list(new Store.Visitor() {
            @Override
            public boolean folder(String key) {
                return folder.startsWith(key + "/") || deep && key.startsWith(folder);
            }

            @Override
            public void file(String key, long size, long version) {
                boolean here = key.startsWith(folder) && (deep || key.indexOf('/', folder.length()) < 0);
                if (here && chosen.test(key.substring(folder.length()))) {
                    files.add(new StoreEntry(key, size, version));
                }
            }
        });
        if (files.isEmpty()) {
            throw new StoreException("no %s in %s: no file %s".formatted(what, store.location(), said));
        }
        Runnable closing = owned && store instanceof FileStore opened ? opened::close : () -> {};
        return new StoreFiles(store, sorted(what, files), closing);
    }

    private static List<StoreEntry> sorted(String what, List<StoreEntry> files) {
        List<StoreEntry> sorted = new ArrayList<>(files);
        sorted.sort(Comparator.comparing(StoreEntry::key, FileNames.BY_BYTES));
        for (int i = 1; i < sorted.size(); i++) {
            if (sorted.get(i).key().equals(sorted.get(i - 1).key())) {
                throw new IllegalArgumentException("a file of %s is named twice: %s"
                        .formatted(what, sorted.get(i).key()));
            }
        }
        return List.copyOf(sorted);
    }

    /** Where the files lie. */
    public Store store() {
        return store;
    }

    /** The files as they were found, in their order; at least one. */
    public List<StoreEntry> entries() {
        return entries;
    }

    /** A name of a file that is the same however the file was named, and with any other files it was opened. */
    public String place(StoreEntry entry) {
        String location = store.location();
        return location.endsWith("/") ? location + entry.key() : location + "/" + entry.key();
    }

    /** The keys and states of all files as one word: a fingerprint is there to be printed. */
    public String states() {
        return Fingerprint.of(entries.stream()
                        .flatMap(file ->
                                Stream.of(file.key(), Long.toString(file.size()), Long.toString(file.version())))
                        .toArray(String[]::new))
                .hex();
    }

    /** The state that is part of the keys of a file's samples, as words for people: its place, size and version. */
    public List<String> state(StoreEntry entry) {
        List<String> file = store.state(entry);
        return List.of("in " + store.location(), file.get(0), file.get(1));
    }

    /**
     * Applies a function to every file, and gives the results in the files' order. Blocks until all is done; works on
     * {@value #AT_ONCE} files at once, on threads of its own that may wait for what they read, and fails as the first
     * that fails.
     */
    public <T> List<T> map(Function<StoreEntry, T> fn) {
        Scheduler threads = GuardedScheduler.ofThreads(AT_ONCE, "store-files");
        try {
            return Waiting.forValue(Flux.fromIterable(entries)
                    .transform(InOrder.map(
                            AT_ONCE,
                            entry -> Mono.fromCallable(Thrown.callable(() -> fn.apply(entry)))
                                    .subscribeOn(threads)))
                    .collectList());
        } finally {
            threads.dispose();
        }
    }

    /** Closes the store if this opened it. */
    @Override
    public void close() {
        closing.run();
    }

    /** For messages: the one file, or how many there are and where. */
    @Override
    public String toString() {
        return entries.size() == 1
                ? place(entries.get(0))
                : "%d files in %s".formatted(entries.size(), store.location());
    }
}

package io.penstock.cli;

import io.penstock.store.FileStore;
import io.penstock.store.Store;
import io.penstock.store.ZipStore;
import io.penstock.store.http.HttpOptions;
import io.penstock.store.http.HttpStore;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A store as a flag names it: a folder, a zip file or an HTTP address; or a file in one.
 *
 * @param text what the flag says
 */
record StorePlace(String text) {

    /** A file and the store that has it. */
    record Located(Store store, String key) {}

    boolean isHttp() {
        return text.startsWith("http://") || text.startsWith("https://");
    }

    Path path() {
        return Path.of(text);
    }

    /**
     * The store that this is.
     * @throws IllegalArgumentException if it is no address
     */
    Store open() {
        if (isHttp()) {
            return HttpStore.at(URI.create(text));
        }
        return Files.isRegularFile(path()) ? ZipStore.open(path()) : FileStore.open(path());
    }

    /** The store of a manifest at this address, which can be listed. */
    HttpStore openManifest() {
        return HttpStore.ofManifest(URI.create(text), HttpOptions.standard());
    }

    /** The file that this names at an HTTP address. */
    Located locateHttp() {
        int slash = text.lastIndexOf('/');
        return new Located(HttpStore.at(URI.create(text.substring(0, slash + 1))), text.substring(slash + 1));
    }

    @Override
    public String toString() {
        return text;
    }
}

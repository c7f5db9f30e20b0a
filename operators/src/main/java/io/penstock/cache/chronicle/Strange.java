package io.penstock.cache.chronicle;

import java.nio.file.Path;

/**
 * A path of the cache at which something else is than belongs there.
 *
 * @param what is there, with an article
 */
record Strange(Path path, String what) {

    @Override
    public String toString() {
        return "%s is %s; delete it".formatted(path, what);
    }
}

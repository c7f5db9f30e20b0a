package io.penstock.spark;

import io.penstock.cli.cache.FilledCache;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A cache that the tasks of a process have open together: a cache on disk can be open but once in it. */
final class SharedCache {

    private final Supplier<FilledCache> place;
    private final ReentrantLock turn = new ReentrantLock();
    private @Nullable FilledCache cache;
    private int users;

    /** @param place opens it */
    SharedCache(Supplier<FilledCache> place) {
        this.place = place;
    }

    /** What it makes of the cache, which is opened for the first of several callers and closed behind the last. */
    <R> R use(Function<FilledCache, R> work) {
        FilledCache open = enter();
        try {
            return work.apply(open);
        } finally {
            leave(open);
        }
    }

    private FilledCache enter() {
        turn.lock();
        try {
            FilledCache open = cache == null ? place.get() : cache;
            cache = open;
            users++;
            return open;
        } finally {
            turn.unlock();
        }
    }

    private void leave(FilledCache open) {
        turn.lock();
        try {
            users--;
            if (users == 0) {
                cache = null;
                open.close();
            }
        } finally {
            turn.unlock();
        }
    }
}

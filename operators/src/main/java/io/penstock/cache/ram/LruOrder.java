package io.penstock.cache.ram;

import org.jspecify.annotations.Nullable;

/** Values in the order of their last use. Not thread-safe. */
final class LruOrder {

    private @Nullable LruValue eldest;
    private @Nullable LruValue newest;

    /** Makes a value the newest, unless it was forgotten before it came here. */
    void add(LruValue value) {
        if (!value.isForgotten()) {
            append(value);
        }
    }

    /** Makes a value the newest if it is here. */
    void touch(LruValue value) {
        if (isHere(value) && value != newest) {
            unlink(value);
            append(value);
        }
    }

    void remove(LruValue value) {
        if (isHere(value)) {
            unlink(value);
        }
    }

    @Nullable LruValue removeEldest() {
        LruValue first = eldest;
        if (first != null) {
            unlink(first);
        }
        return first;
    }

    void clear() {
        eldest = null;
        newest = null;
    }

    private boolean isHere(LruValue value) {
        return value == eldest || value.older != null;
    }

    private void append(LruValue value) {
        LruValue before = newest;
        value.older = before;
        if (before == null) {
            eldest = value;
        } else {
            before.newer = value;
        }
        newest = value;
    }

    private void unlink(LruValue value) {
        LruValue before = value.older;
        LruValue after = value.newer;
        if (before == null) {
            eldest = after;
        } else {
            before.newer = after;
        }
        if (after == null) {
            newest = before;
        } else {
            after.older = before;
        }
        value.older = null;
        value.newer = null;
    }
}

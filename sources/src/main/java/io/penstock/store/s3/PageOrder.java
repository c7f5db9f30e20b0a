package io.penstock.store.s3;

import io.netty.util.collection.LongObjectHashMap;
import io.netty.util.collection.LongObjectMap;
import io.penstock.cache.Fingerprint;
import io.penstock.fault.StoreException;
import io.penstock.internal.Notice;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees the pages of one prefix in their order. It refuses those that have no end, and a key that comes twice. A key that
 * follows itself in the same state, as some gateways have it between two pages, counts once.
 *
 * <p>Keys that ascend cannot repeat. Some servers list in another order, so the hashes of all keys are kept, 64 bits
 * each, and looked at behind a key that does not ascend.
 */
final class PageOrder {

    private static final Logger LOG = LoggerFactory.getLogger(PageOrder.class);
    private static final int MAX_EMPTY = 1_000;

    private final String where;
    private final Set<Fingerprint> tokens = new HashSet<>();
    private final LongObjectMap<Boolean> hashes = new LongObjectHashMap<>();
    private ListPage.@Nullable Listed last;
    private boolean ascends = true;
    private boolean repeats;
    private int empty;

    PageOrder(String where) {
        this.where = where;
    }

    /** The page without what is there already. */
    ListPage next(ListPage page) {
        String token = page.next();
        if (token != null && !tokens.add(Fingerprint.of(token))) {
            throw refused("a continuation token comes twice, so its pages have no end");
        }
        empty = page.objects().isEmpty() && page.prefixes().isEmpty() ? empty + 1 : 0;
        if (empty > MAX_EMPTY) {
            throw refused("%d pages in a row name nothing, and announce more".formatted(MAX_EMPTY));
        }
        List<ListPage.Listed> once = new ArrayList<>(page.objects().size());
        for (ListPage.Listed object : page.objects()) {
            if (isNew(object)) {
                once.add(object);
            }
        }
        return new ListPage(once, page.prefixes(), token);
    }

    private boolean isNew(ListPage.Listed object) {
        ListPage.Listed before = last;
        if (object.equals(before)) {
            if (!repeats) {
                repeats = true;
                Notice.warn(LOG, "the list of {} repeats keys; each counts once; the first is {}", where, object.key());
            }
            return false;
        }
        ascends = ascends && (before == null || before.key().compareTo(object.key()) < 0);
        if (hashes.put(hash(object.key()), Boolean.TRUE) != null && !ascends) {
            throw refused("\"%s\" is listed twice".formatted(object.key()));
        }
        last = object;
        return true;
    }

    private StoreException refused(String why) {
        return new StoreException("cannot list %s: %s; check the server".formatted(where, why));
    }

    private static long hash(String key) {
        long hash = 1;
        for (int i = 0; i < key.length(); i++) {
            hash = (hash ^ key.charAt(i)) * 0x9E3779B97F4A7C15L;
            hash ^= hash >>> 29;
        }
        return hash;
    }
}

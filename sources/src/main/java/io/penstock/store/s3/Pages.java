package io.penstock.store.s3;

import io.penstock.store.http.internal.HttpReads;
import io.penstock.stream.Execution;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The pages of a list. The pages of one prefix follow each other, so where a prefix has few folders, these are listed
 * at the same time.
 */
record Pages(HttpReads bucket, String where) {

    private static final int AT_ONCE = 32;
    private static final int MAX_BYTES = 64 << 20;

    /** Folders below this level are not listed on their own: what a server invents has no end. */
    private static final int MAX_LEVELS = 16;

    /** The first page, which tells whether there are more. */
    Mono<ListPage> first(String prefix) {
        return page(prefix, false, null);
    }

    /** All pages below a prefix, in no order. */
    Flux<ListPage> below(String prefix, ListPage first) {
        return below(prefix, first, MAX_LEVELS);
    }

    private Flux<ListPage> below(String prefix, ListPage first, int levels) {
        if (first.next() == null || levels == 0) {
            return following(prefix, false, Mono.just(first));
        }
        return page(prefix, true, null).flatMapMany(folders -> {
            boolean fewFolders = folders.next() == null && !folders.prefixes().isEmpty();
            return fewFolders
                    ? Flux.concat(
                            following(prefix, true, Mono.just(folders)),
                            Flux.fromIterable(folders.prefixes())
                                    .flatMap(
                                            folder -> first(folder).flatMapMany(its -> below(folder, its, levels - 1)),
                                            AT_ONCE,
                                            1))
                    : following(prefix, false, Mono.just(first));
        });
    }

    /** The pages of what lies directly at a prefix, in order. */
    Flux<ListPage> at(String prefix) {
        return following(prefix, true, page(prefix, true, null));
    }

    private Flux<ListPage> following(String prefix, boolean folders, Mono<ListPage> first) {
        return Flux.defer(() -> {
            PageOrder order = new PageOrder(where);
            return first.expand(page -> page.next() == null ? Mono.empty() : page(prefix, folders, page.next()))
                    .map(order::next);
        });
    }

    private Mono<ListPage> page(String prefix, boolean folders, @Nullable String token) {
        String query = "list-type=2&encoding-type=url"
                + (prefix.isEmpty() ? "" : "&prefix=" + escaped(prefix))
                + (folders ? "&delimiter=%2F" : "")
                + (token == null ? "" : "&continuation-token=" + escaped(token));
        return bucket.query(query, MAX_BYTES)
                .publishOn(Execution.standard().workers())
                .map(bytes -> ListPage.parse(where, bytes).requireBelow(where, prefix, folders));
    }

    private static String escaped(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("*", "%2A");
    }
}

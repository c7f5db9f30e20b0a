package io.penstock.store.s3;

import io.penstock.store.http.HttpStore;
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
final class Pages {

    private static final int AT_ONCE = 32;
    private static final int MAX_BYTES = 64 << 20;

    private final HttpStore bucket;
    private final String where;

    Pages(HttpStore bucket, String where) {
        this.bucket = bucket;
        this.where = where;
    }

    /** The first page, which tells whether there are more. */
    Mono<ListPage> first(String prefix) {
        return page(prefix, false, null);
    }

    private Flux<ListPage> below(String prefix) {
        return first(prefix).flatMapMany(first -> below(prefix, first));
    }

    /** All pages below a prefix, in no order. */
    Flux<ListPage> below(String prefix, ListPage first) {
        if (first.next() == null) {
            return Flux.just(first);
        }
        return page(prefix, true, null).flatMapMany(folders -> {
            boolean fewFolders = folders.next() == null && !folders.prefixes().isEmpty();
            return fewFolders
                    ? Flux.concat(
                            Flux.just(folders),
                            Flux.fromIterable(folders.prefixes()).flatMap(this::below, AT_ONCE, 1))
                    : Flux.concat(Flux.just(first), rest(prefix, first));
        });
    }

    /** The pages of what lies directly at a prefix, in order. */
    Flux<ListPage> at(String prefix) {
        return page(prefix, true, null)
                .expand(page -> page.next() == null ? Mono.empty() : page(prefix, true, page.next()));
    }

    private Flux<ListPage> rest(String prefix, ListPage first) {
        return Mono.just(first)
                .expand(page -> page.next() == null ? Mono.empty() : page(prefix, false, page.next()))
                .skip(1);
    }

    private Mono<ListPage> page(String prefix, boolean folders, @Nullable String token) {
        String query = "list-type=2&encoding-type=url"
                + (prefix.isEmpty() ? "" : "&prefix=" + escaped(prefix))
                + (folders ? "&delimiter=%2F" : "")
                + (token == null ? "" : "&continuation-token=" + escaped(token));
        return bucket.query(query, MAX_BYTES)
                .publishOn(Execution.standard().workers())
                .map(bytes -> ListPage.parse(where, bytes));
    }

    private static String escaped(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("*", "%2A");
    }
}

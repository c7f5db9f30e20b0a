package io.penstock.zarr;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.penstock.fault.DataException;
import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.internal.Thrown;
import io.penstock.store.Store;
import io.penstock.zarr.internal.element.MetadataJson;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The metadata documents at a path of a store. */
final class Metadata {

    private static final int MAX_BYTES = Math.min(16 << 20, MetadataJson.MAX_BYTES);
    private static final int MAX_NAMES = 10;
    private static final JsonNode NOTHING = JsonNodeFactory.instance.objectNode();

    private final Store store;
    private final String path;

    Metadata(Store store, String path) {
        this.store = store;
        this.path = path(path);
    }

    /** A path without slashes at its ends, that goes down only. */
    static String path(String path) {
        int from = 0;
        int to = path.length();
        while (from < to && path.charAt(from) == '/') {
            from++;
        }
        while (to > from && path.charAt(to - 1) == '/') {
            to--;
        }
        String bare = path.substring(from, to);
        if (bare.isEmpty()) {
            return bare;
        }
        for (String part : bare.split("/", -1)) {
            if (part.isEmpty() || part.equals(".") || part.equals("..") || part.indexOf('\0') >= 0) {
                throw new IllegalArgumentException(
                        "path of an array must lead down from the store: \"%s\"".formatted(path));
            }
        }
        return bare;
    }

    static String key(String path, String name) {
        return path.isEmpty() ? name : path + "/" + name;
    }

    Mono<JsonNode> document(String name) {
        return document(name, MAX_BYTES);
    }

    Mono<JsonNode> document(String name, int max) {
        return store.find(key(path, name), max).map(Thrown.function(bytes -> at(name, bytes, MetadataJson::parse)));
    }

    /** Applies a function to a document; errors name the document. */
    <A, R> R at(String name, A what, Function<A, R> read) {
        try {
            return read.apply(what);
        } catch (FormatException e) {
            throw new FormatException(
                    "cannot read %s in %s: %s".formatted(key(path, name), store.location(), e.getMessage()), e);
        }
    }

    /** The array, by the first of these versions that there is. */
    Mono<ZarrArray> array(List<ZarrFormat> formats) {
        return Flux.fromIterable(formats)
                .concatMap(this::found, 1)
                .next()
                .switchIfEmpty(Mono.defer(() -> missing(formats)))
                .flatMap(this::withoutManifest);
    }

    private Mono<ZarrArray> missing(List<ZarrFormat> formats) {
        String files =
                formats.contains(ZarrFormat.V2) ? formats.size() > 1 ? "zarr.json or .zarray" : ".zarray" : "zarr.json";
        return ZarrGroup.open(store, path)
                .flatMapMany(ZarrGroup::arrays)
                .collectList()
                .onErrorReturn(DataException.class, List.of()) // no group, or one that cannot be listed
                .flatMap(arrays -> Mono.error(new StoreException("no zarr array at %s in %s: %s"
                        .formatted(
                                path.isEmpty() ? "/" : path,
                                store.location(),
                                arrays.isEmpty() ? "no %s there".formatted(files) : group(arrays)))));
    }

    private static String group(List<String> arrays) {
        String names = arrays.stream().limit(MAX_NAMES).collect(Collectors.joining(", "));
        return "it is a group; name one of its arrays: " + names
                + (arrays.size() > MAX_NAMES ? ", … (%d in all)".formatted(arrays.size()) : "");
    }

    private Mono<ZarrArray> found(ZarrFormat format) {
        if (format == ZarrFormat.V3) {
            return document("zarr.json")
                    .filter(document -> !document.path("node_type").asText("").equals("group"))
                    .map(document -> of(format, "zarr.json", document, NOTHING));
        }
        return document(".zarray")
                .flatMap(document -> document(".zattrs")
                        .defaultIfEmpty(NOTHING)
                        .map(attributes -> of(format, ".zarray", document, attributes)));
    }

    ZarrArray of(ZarrFormat format, String name, JsonNode document, JsonNode attributes) {
        return at(name, document, json -> ZarrArray.of(store, path, ArrayMetadata.of(format, json, attributes)));
    }

    private Mono<ZarrArray> withoutManifest(ZarrArray array) {
        if (!array.metadata().manifest()) {
            return Mono.just(array);
        }
        return store.entry(key(path, "manifest.json"))
                .<ZarrArray>handle((entry, sink) -> sink.error(new FormatException(
                        "cannot read %s in %s: storage transformer is not supported: \"chunk-manifest-json\""
                                .formatted(key(path, "zarr.json"), store.location()))))
                .defaultIfEmpty(array);
    }
}

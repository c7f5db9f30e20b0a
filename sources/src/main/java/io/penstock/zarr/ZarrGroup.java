package io.penstock.zarr;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.internal.GuardedScheduler;
import io.penstock.internal.Thrown;
import io.penstock.store.Store;
import io.penstock.zarr.internal.element.MetadataJson;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A group of arrays: its attributes, and what lies below it.
 *
 * <p>Consolidated metadata is used where it is there, so that a far store is asked once: v2's {@code .zmetadata}, v3's
 * inside {@code zarr.json}. Without it the store is listed, and each folder asked for metadata.
 */
public final class ZarrGroup {

    private static final JsonNode NOTHING = JsonNodeFactory.instance.objectNode();
    private static final String ARRAY_V2 = ".zarray";
    private static final String ARRAY_V3 = "zarr.json";

    private final Store store;
    private final String path;
    private final ZarrFormat format;
    private final String attributes;
    private final Map<String, Consolidated> consolidated; // by their paths below this

    private record Consolidated(JsonNode document, JsonNode attributes) {}

    private ZarrGroup(
            Store store, String path, ZarrFormat format, String attributes, Map<String, Consolidated> consolidated) {
        this.store = store;
        this.path = path;
        this.format = format;
        this.attributes = attributes;
        this.consolidated = consolidated;
    }

    /**
     * The group at a path of a store; the empty path is the store itself. Where there is metadata of both versions,
     * v3's. Fails with a {@link StoreException} if there is no group.
     * @throws IllegalArgumentException if the path leads out of the store
     */
    public static Mono<ZarrGroup> open(Store store, String path) {
        Metadata metadata = new Metadata(store, path);
        String bare = Metadata.path(path);
        return metadata.document(ARRAY_V3, MetadataJson.MAX_BYTES)
                .filter(document -> document.path("node_type").asText("").equals("group"))
                .map(document -> metadata.at(ARRAY_V3, document, json -> v3(store, bare, json)))
                .switchIfEmpty(Mono.defer(() -> v2(store, bare, metadata)))
                .switchIfEmpty(Mono.error(
                        () -> new StoreException("no zarr group at %s in %s: no zarr.json or .zgroup there"
                                .formatted(bare.isEmpty() ? "/" : bare, store.location()))));
    }

    private static ZarrGroup v3(Store store, String path, JsonNode document) {
        Map<String, Consolidated> known = new TreeMap<>();
        document.path("consolidated_metadata").path("metadata").properties().forEach(node -> {
            if (node.getValue().path("node_type").asText("").equals("array")) {
                known.put(below(node.getKey()), new Consolidated(node.getValue(), NOTHING));
            }
        });
        JsonNode attributes = document.path("attributes");
        return new ZarrGroup(store, path, ZarrFormat.V3, attributes.isObject() ? attributes.toString() : "{}", known);
    }

    /** A path that consolidated metadata names: a wrong one is the document's fault, not the caller's. */
    private static String below(String path) {
        try {
            return Metadata.path(path);
        } catch (IllegalArgumentException e) {
            throw new FormatException("consolidated metadata is broken: " + e.getMessage(), e);
        }
    }

    private static Mono<ZarrGroup> v2(Store store, String path, Metadata metadata) {
        return metadata.document(".zgroup")
                .flatMap(group -> metadata.document(".zattrs").defaultIfEmpty(NOTHING))
                .flatMap(attributes -> metadata.document(".zmetadata", MetadataJson.MAX_BYTES)
                        .defaultIfEmpty(NOTHING)
                        .map(all -> metadata.at(".zmetadata", all, ZarrGroup::known))
                        .map(known -> new ZarrGroup(store, path, ZarrFormat.V2, attributes.toString(), known)));
    }

    private static Map<String, Consolidated> known(JsonNode all) {
        Map<String, Consolidated> known = new TreeMap<>();
        JsonNode documents = all.path("metadata");
        documents.properties().forEach(node -> {
            String key = node.getKey();
            if (key.equals(ARRAY_V2) || key.endsWith("/" + ARRAY_V2)) {
                String folder = key.substring(0, key.length() - ARRAY_V2.length());
                JsonNode attributes = documents.path(folder + ".zattrs");
                known.put(
                        below(folder), new Consolidated(node.getValue(), attributes.isObject() ? attributes : NOTHING));
            }
        });
        return known;
    }

    public ZarrFormat format() {
        return format;
    }

    /** The user's attributes as JSON. */
    public String attributes() {
        return attributes;
    }

    /** An array below this group, by its path from here. Fails as {@link ZarrArray#open(Store, String)} does. */
    public Mono<ZarrArray> array(String name) {
        String below = Metadata.path(name);
        Consolidated known = consolidated.get(below);
        if (known == null) {
            return ZarrArray.open(store, Metadata.key(path, below));
        }
        return Mono.fromCallable(() -> new Metadata(store, Metadata.key(path, below))
                .of(format, format == ZarrFormat.V2 ? ARRAY_V2 : ARRAY_V3, known.document, known.attributes));
    }

    /** The paths of all arrays below this group, from here and in order. */
    public Flux<String> arrays() {
        return consolidated.isEmpty() ? listed() : Flux.fromIterable(List.copyOf(consolidated.keySet()));
    }

    /** Level by level: what lies below an array is chunks, however many folders they make. */
    private Flux<String> listed() {
        return Mono.fromCallable(Thrown.callable(this::folders))
                .subscribeOn(GuardedScheduler.ELASTIC)
                .flatMapMany(folders -> below(folders, ""))
                .sort(Comparator.naturalOrder());
    }

    private Flux<String> below(Map<String, List<String>> folders, String folder) {
        return Flux.fromIterable(folders.getOrDefault(folder, List.of())).concatMap(child -> {
            String at = Metadata.key(path, child);
            return isArray(at).flatMapMany(array -> array ? Flux.just(child) : below(folders, child));
        });
    }

    private Mono<Boolean> isArray(String at) {
        return new Metadata(store, at)
                .document(ARRAY_V3, MetadataJson.MAX_BYTES)
                .filter(document -> document.path("node_type").asText("").equals("array"))
                .hasElement()
                .flatMap(found -> found
                        ? Mono.just(true)
                        : store.entry(Metadata.key(at, ARRAY_V2)).hasElement());
    }

    /** The folders below this one, by the folder they lie in; those of stores without folders from their keys. */
    private Map<String, List<String>> folders() {
        Set<String> all = new TreeSet<>();
        String prefix = path.isEmpty() ? "" : path + "/";
        store.list(new Store.Visitor() {
            @Override
            public boolean folder(String key) {
                if (key.startsWith(prefix)) {
                    all.add(key.substring(prefix.length()));
                    return true;
                }
                return prefix.startsWith(key + "/");
            }

            @Override
            public void file(String key, long size, long version) {
                int slash = key.lastIndexOf('/');
                while (slash > prefix.length()
                        && key.startsWith(prefix)
                        && all.add(key.substring(prefix.length(), slash))) {
                    slash = key.lastIndexOf('/', slash - 1);
                }
            }
        });
        Map<String, List<String>> folders = new TreeMap<>();
        for (String folder : all) {
            int slash = folder.lastIndexOf('/');
            folders.computeIfAbsent(slash < 0 ? "" : folder.substring(0, slash), above -> new ArrayList<>())
                    .add(folder);
        }
        return folders;
    }

    @Override
    public String toString() {
        return "zarr group %s in %s".formatted(path.isEmpty() ? "/" : path, store.location());
    }
}

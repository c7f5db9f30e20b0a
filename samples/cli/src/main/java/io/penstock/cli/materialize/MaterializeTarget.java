package io.penstock.cli.materialize;

import io.penstock.cache.redis.RedisOptions;
import io.penstock.cli.cache.FilledCache;
import io.penstock.cli.flag.DiskSpec;
import io.penstock.cli.flag.Flags;
import io.penstock.cli.source.KafkaAddress;
import io.penstock.cli.source.StorePlace;
import java.util.function.Supplier;

/** Where the samples of a job go, as {@code --to} says it. */
public sealed interface MaterializeTarget {

    String KNOWN = "disk:DIR[,SIZE], redis:URI, tar:DIR and kafka:HOST:PORT/TOPIC are";

    /**
     * A cache.
     *
     * @param opener opens it; fails with {@code StoreException} if it cannot be used
     * @param local  whether it is on one machine's disk
     */
    record Cache(Supplier<FilledCache> opener, boolean local) implements MaterializeTarget {}

    /** A folder of tar shards, or the prefix of a bucket. */
    record Tar(StorePlace place) implements MaterializeTarget {}

    /** A topic, with a partition for each rank. */
    record Topic(KafkaAddress address) implements MaterializeTarget {}

    static MaterializeTarget parse(String text) {
        int colon = text.indexOf(':');
        String kind = colon < 0 ? "" : text.substring(0, colon);
        String place = text.substring(colon + 1);
        if (colon < 0 || place.isBlank()) {
            throw new IllegalArgumentException(
                    "disk:DIR[,SIZE], redis:URI, tar:DIR or kafka:HOST:PORT/TOPIC was expected, was \"" + text + "\"");
        }
        return switch (kind) {
            case "disk" -> {
                DiskSpec disk = DiskSpec.parse(place);
                yield new Cache(() -> FilledCache.of(disk.open()), true);
            }
            case "redis" -> {
                RedisOptions redis = redis(place);
                yield new Cache(() -> FilledCache.of(redis.open()), false);
            }
            case "tar" -> tar(new StorePlace(place));
            case "kafka" -> new Topic(KafkaAddress.parse(place));
            default -> throw new IllegalArgumentException("there is no such target: \"" + text + "\"; " + KNOWN);
        };
    }

    private static Tar tar(StorePlace place) {
        place.requireWritable();
        return new Tar(place);
    }

    /** A server that this process started would end with it, and what was written with the server. */
    private static RedisOptions redis(String uri) {
        if (uri.matches("spawn(-all)?:.*")) {
            throw new IllegalArgumentException(
                    "a spawned redis server ends with the job that fills it; name one that runs, as in redis:redis://HOST:6379");
        }
        return Flags.redis(uri);
    }
}

package io.penstock.cli.materialize;

import io.penstock.cli.cache.FilledCache;
import io.penstock.cli.console.Reason;
import io.penstock.cli.flag.DiskSpec;
import io.penstock.cli.flag.RedisSpec;
import io.penstock.cli.source.StorePlace;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Where the samples of a job go, as {@code --to} says it. */
public sealed interface MaterializeTarget {

    String KNOWN = "disk:DIR[,SIZE], redis:URI and tar:DIR are";

    /** A cache. */
    sealed interface Cache extends MaterializeTarget {

        /**
         * Opens it.
         * @throws io.penstock.fault.StoreException if it cannot be used
         */
        FilledCache open();
    }

    /** A cache on disk. */
    record Disk(DiskSpec disk) implements Cache {
        @Override
        public FilledCache open() {
            return new FilledCache.Disk(disk.open());
        }
    }

    /** A cache that machines share. */
    record Redis(RedisSpec redis) implements Cache {
        @Override
        public FilledCache open() {
            return new FilledCache.Redis(redis.open());
        }
    }

    /** A folder of tar shards, or the prefix of a bucket. */
    record Tar(StorePlace place) implements MaterializeTarget {}

    /**
     * Reads what follows {@code --to}.
     * @throws IllegalArgumentException if there is no such target
     */
    static MaterializeTarget parse(String text) {
        int colon = text.indexOf(':');
        String kind = colon < 0 ? "" : text.substring(0, colon);
        String place = text.substring(colon + 1);
        if (colon < 0 || place.isBlank()) {
            throw new IllegalArgumentException(
                    "disk:DIR[,SIZE], redis:URI or tar:DIR was expected, was \"" + text + "\"");
        }
        return switch (kind) {
            case "disk" -> new Disk(DiskSpec.parse(place));
            case "redis" -> new Redis(redis(place));
            case "tar" -> tar(new StorePlace(place));
            default -> throw new IllegalArgumentException("there is no such target: \"" + text + "\"; " + KNOWN);
        };
    }

    private static Tar tar(StorePlace place) {
        place.requireWritable();
        return new Tar(place);
    }

    /**
     * A server that this process started would end with it, and what was written with the server.
     */
    private static RedisSpec redis(String uri) {
        if (uri.matches("spawn(-all)?:.*")) {
            throw new IllegalArgumentException(
                    "a spawned redis server ends with the job that fills it; name one that runs, as in redis:redis://HOST:6379");
        }
        return RedisSpec.parse(uri);
    }

    /** For picocli. */
    final class Reader implements ITypeConverter<MaterializeTarget> {
        @Override
        public MaterializeTarget convert(String text) {
            try {
                return parse(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(Reason.of(e));
            }
        }
    }
}

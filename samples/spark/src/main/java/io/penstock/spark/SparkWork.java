package io.penstock.spark;

import io.penstock.cli.materialize.MaterializeFlags;
import io.penstock.cli.materialize.MaterializeTarget;
import io.penstock.cli.source.Cacheable;
import io.penstock.fault.StoreException;
import java.io.Serial;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import reactor.core.publisher.Mono;

/**
 * What an executor is sent of a job: its arguments. The source is opened there when the first task wants it, once for all
 * tasks of the process, since Spark keeps what is broadcast.
 */
final class SparkWork implements Serializable {

    @Serial
    private static final long serialVersionUID = 1;

    private final ArrayList<String> arguments;
    private final String fingerprint;
    private final transient MaterializeFlags flags;
    private final transient Mono<Cacheable<?>> samples;
    private final transient SharedCache cache;

    /** @param fingerprint of the samples as the driver sees them, in hexadecimal */
    SparkWork(List<String> arguments, String fingerprint) {
        this.arguments = new ArrayList<>(arguments);
        this.fingerprint = fingerprint;
        this.flags = SparkMaterialize.flags(arguments);
        this.cache = new SharedCache(() -> ((MaterializeTarget.Cache) flags.target()).open());
        this.samples = Mono.<Cacheable<?>>fromCallable(this::open).cacheInvalidateIf(opened -> false);
    }

    @Serial
    private Object readResolve() {
        return new SparkWork(arguments, fingerprint);
    }

    private Cacheable<?> open() {
        Cacheable<?> found = flags.open();
        String here = found.dataset().fingerprint().hex();
        if (!here.equals(fingerprint)) {
            throw new StoreException(
                    ("the source is not what it was when the job began, or not the same on all machines: its samples"
                                    + " were %s, are %s here")
                            .formatted(fingerprint, here));
        }
        return found;
    }

    MaterializeFlags flags() {
        return flags;
    }

    /** Where the samples go, where that is a cache. */
    SharedCache cache() {
        return cache;
    }

    /** Blocks while it is opened. */
    Cacheable<?> samples() {
        return Objects.requireNonNull(samples.block(), "samples");
    }
}

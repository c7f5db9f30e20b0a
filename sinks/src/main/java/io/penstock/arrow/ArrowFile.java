package io.penstock.arrow;

import io.penstock.batch.Batch;
import io.penstock.fault.StoreException;
import io.penstock.internal.OptionalLibrary;
import io.penstock.internal.Thrown;
import io.penstock.output.OutputStore;
import io.penstock.output.UnfinishedOutput;
import io.penstock.write.internal.UnfinishedFile;
import java.nio.file.Path;
import java.util.function.Supplier;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Writes batches to an Arrow IPC file, which Arrow's libraries, pandas, Polars and DuckDB read.
 * <pre>{@code
 *  long batches = ArrowFile.at(Path.of("features.arrow")).write(flux).block();
 * }</pre>
 *
 * <p>Each batch is a record batch, laid out as {@link ArrowStream} says. All batches must have the same fields, dtypes
 * and row shapes. The bytes go from the batches' memory to the file; nothing is copied in between.
 *
 * <p>What has the file's name is complete: bytes go to a file beside it, whose name begins with a dot, which takes the
 * name once everything is on the disk, over a file that may be there. After an error or a cancel that file is removed;
 * what a killed process leaves, the next writer of the file removes.
 *
 * <p>Immutable; every method returns a copy.
 */
public final class ArrowFile {

    private final Supplier<UnfinishedOutput> place;
    private final String location;
    private final boolean stream;

    private ArrowFile(Supplier<UnfinishedOutput> place, String location, boolean stream) {
        this.place = place;
        this.location = location;
        this.stream = stream;
    }

    /** A file to be written; nothing happens before {@link #write} is subscribed to. */
    public static ArrowFile at(Path path) {
        OptionalLibrary.ARROW.require(ArrowFile.class);
        return new ArrowFile(() -> UnfinishedFile.of(path), path.toString(), false);
    }

    /** The same as an output of this name, such as an object in a bucket. */
    public static ArrowFile at(OutputStore store, String name) {
        OptionalLibrary.ARROW.require(ArrowFile.class);
        return new ArrowFile(() -> store.open(name), store.location(name), false);
    }

    /** The same in the stream format, which has no index of its batches at the end and can be read from a pipe. */
    public ArrowFile asStream() {
        return new ArrowFile(place, location, true);
    }

    /**
     * Writes all batches and closes each; the number of batches, once the file is there.
     *
     * <p>Takes one batch after the other. Writes on the thread that the batches come on, which must be allowed to
     * block, as that of {@code Batches} is. Errors: upstream's; {@link StoreException} where the file cannot be
     * written; {@link IllegalArgumentException} where a batch differs from the first, or there is none and so no
     * schema.
     */
    public Mono<Long> write(Flux<Batch> batches) {
        return Mono.using(
                () -> new ArrowFileRun(place.get(), stream),
                run -> batches.doOnNext(run::write)
                        .then(Mono.fromCallable(Thrown.callable(run::finish)))
                        .doOnDiscard(Batch.class, Batch::close),
                ArrowFileRun::close);
    }

    /** The path or the address. */
    @Override
    public String toString() {
        return location;
    }
}

package io.penstock.pipeline;

import io.penstock.internal.index.IndexFolder;
import io.penstock.stream.Execution;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How the index of a {@link Dataset#filter filter} or an {@link Dataset#expand expansion} is built: each sample is
 * loaded and examined once, in parallel. Immutable; every method returns a copy.
 */
public final class Indexing {

    final @Nullable Path folder;
    final ErrorPolicy policy;
    final Execution execution;
    final Consumer<? super Progress> progress;

    /**
     * How far a build is.
     * @param examined samples, those included that were known
     * @param known    from the folder, and so not loaded
     * @param samples  in all
     */
    public record Progress(long examined, long known, long samples) {}

    private Indexing(
            @Nullable Path folder, ErrorPolicy policy, Execution execution, Consumer<? super Progress> progress) {
        this.folder = folder;
        this.policy = policy;
        this.execution = execution;
        this.progress = progress;
    }

    /** Built by each process, and kept in memory alone. */
    public static Indexing inMemory() {
        return new Indexing(null, ErrorPolicy.fail(), Execution.standard(), progress -> {});
    }

    /**
     * Kept in a folder: the next process reads it, and processes that start together build it once. A build that was
     * stopped goes on where it was. Samples whose keys are known are not examined again, so after a change of the data
     * the changed ones alone are.
     * <p><b>Disk</b>: 12 bytes a sample and state of the data, of which the latest eight are kept.
     */
    public static Indexing keptIn(Path folder) {
        return new Indexing(folder, ErrorPolicy.fail(), Execution.standard(), progress -> {});
    }

    /**
     * The indexes in a folder of {@link #keptIn} that do not match their checksums. Reads them all, and blocks. They
     * are made again when they are next used; what is intact in them is not examined again.
     * @throws io.penstock.fault.StoreException if one cannot be read
     */
    public static List<Path> damaged(Path folder) {
        return IndexFolder.damaged(folder);
    }

    /**
     * What happens to a sample that cannot be loaded, or on which the function throws: it ends the build, unless the
     * policy skips it. A skipped sample is left out, and examined again by the next process.
     * @throws IllegalArgumentException if the policy substitutes: a sample is in the data or is not
     */
    public Indexing onError(ErrorPolicy errors) {
        if (errors.outcome == ErrorPolicy.Action.SUBSTITUTE) {
            throw new IllegalArgumentException("an index cannot substitute a sample that fails; skip it or fail");
        }
        return new Indexing(folder, errors, execution, progress);
    }

    /** Where and with how many loads in flight samples are examined. */
    public Indexing on(Execution loads) {
        return new Indexing(folder, policy, loads, progress);
    }

    /** Told about once a second, and at the end, on a thread that may block. */
    public Indexing progress(Consumer<? super Progress> listener) {
        return new Indexing(folder, policy, execution, listener);
    }
}

package io.penstock.pipeline;

import io.penstock.internal.FileWork;
import io.penstock.internal.GuardedScheduler;
import io.penstock.internal.Thrown;
import io.penstock.internal.index.IndexFolder;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * The thread of one build in a folder. It opens the folder, which may wait for other builds that need the threads of the
 * pools, does all that is done there, and closes it. So the folder is free once all of a build has ended, also of one that
 * was cancelled: that interrupts a wait, and the thread ends.
 */
final class IndexThread {

    private final ExecutorService executor = Executors.newSingleThreadExecutor(task -> {
        Thread made = new Thread(task, "penstock-index");
        made.setDaemon(true);
        return made;
    });

    private final Scheduler thread = GuardedScheduler.of(executor, "penstock-index");
    private @Nullable IndexFolder folder; // of this thread alone

    /** Opens a folder, uses it, and closes it at the end, at an error and on cancel, also on cancel while it is opened. */
    static <V> Mono<V> using(Callable<IndexFolder> opening, BiFunction<IndexFolder, Scheduler, Mono<V>> use) {
        return Mono.usingWhen(
                        Mono.fromSupplier(IndexThread::new),
                        own -> run(own.thread, () -> own.open(opening)).flatMap(open -> use.apply(open, own.thread)),
                        own -> run(own.thread, own::close))
                .publishOn(GuardedScheduler.ELASTIC); // what the caller does next is no part of the build
    }

    /** What blocks, on a thread that may. */
    static <R> Mono<R> run(Scheduler thread, Callable<R> blocking) {
        return Mono.fromCallable(Thrown.callable(blocking)).subscribeOn(thread);
    }

    private IndexFolder open(Callable<IndexFolder> opening) throws Exception {
        IndexFolder open = opening.call();
        folder = open;
        return open;
    }

    private boolean close() {
        executor.shutdown();
        if (folder != null) {
            FileWork.run("cannot close an index", folder::close);
        }
        return true;
    }
}

package io.penstock.cli.console;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * Turns a signal (Ctrl-C, SIGTERM) into an orderly end: the run is told to stop, gets a moment to do so, and the last
 * word is printed before the virtual machine goes. Its exit status is then 128 and the signal's number.
 */
public final class Interruption implements AutoCloseable {

    public static final int STATUS = 130;

    private static final Logger LOG = LoggerFactory.getLogger(Interruption.class);
    private static final long GRACE_MILLIS = 900;

    private final Sinks.Empty<Void> stop = Sinks.empty();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Runnable lastWord;
    private final boolean warns;
    private final Thread hook = new Thread(this::interrupt, "penstock-interruption");
    volatile boolean interrupted;

    private Interruption(Runnable lastWord, boolean warns) {
        this.lastWord = lastWord;
        this.warns = warns;
    }

    /**
     * Watches for signals from now on.
     * @param lastWord called after the run ended, or was too slow to
     */
    public static Interruption watch(Runnable lastWord) {
        return watch(lastWord, true);
    }

    /** @param warns whether it is said that the run was too slow */
    static Interruption watch(Runnable lastWord, boolean warns) {
        Interruption interruption = new Interruption(lastWord, warns);
        try {
            Runtime.getRuntime().addShutdownHook(interruption.hook);
        } catch (IllegalStateException e) {
            interruption.ended.countDown(); // the signal came first, and nothing is under way yet
            interruption.interrupt();
        }
        return interruption;
    }

    /**
     * Blocks until work has ended.
     * @param work     ends early when what it is given completes
     * @param progress taken off the terminal then
     * @param ended    done then, before the virtual machine goes
     * @param lastWord called after a signal
     * @return false if a signal ended it
     */
    public static boolean run(
            Function<Mono<Void>, Mono<?>> work, ProgressLine progress, Runnable ended, Runnable lastWord) {
        try (Interruption interruption = watch(lastWord)) {
            try {
                work.apply(interruption.stop()).block();
            } finally {
                progress.clear();
                ended.run();
            }
            return !interruption.ended();
        }
    }

    void interrupt() {
        interrupted = true;
        stop.tryEmitEmpty();
        awaitEnd();
        lastWord.run();
    }

    private void awaitEnd() {
        try {
            if (!ended.await(GRACE_MILLIS, TimeUnit.MILLISECONDS) && warns) {
                LOG.warn("the run did not stop within {} ms", GRACE_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public Mono<Void> stop() {
        return stop.asMono();
    }

    /** The run has ended, for any reason: true if a signal was it, and then the last word is spoken elsewhere. */
    public boolean ended() {
        ended.countDown();
        return interrupted;
    }

    @Override
    public void close() {
        ended.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            return; // going down already: the hook is running
        }
    }
}

package io.penstock.write;

import io.penstock.fault.StoreException;
import io.penstock.internal.FileErrors;
import io.penstock.internal.GuardedScheduler;
import io.penstock.internal.Thrown;
import io.penstock.stream.Sample;
import java.io.IOException;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SynchronousSink;
import reactor.core.scheduler.Scheduler;

/**
 * Writes a stream of samples into one file after the other. All of it happens on a thread that may block; upstream is
 * asked for a few samples ahead of the disk, never more.
 */
final class Writing<T> {

    private static final int AHEAD = 16;

    private final LongFunction<SampleOutput<T>> outputs;
    private final long max;
    private final String place;

    private volatile @Nullable SampleOutput<T> current;
    private long file;
    private long samples;
    private long absent;
    private volatile boolean closed;

    private Writing(LongFunction<SampleOutput<T>> outputs, long max, String place) {
        this.outputs = outputs;
        this.max = max;
        this.place = place;
    }

    /**
     * Emits each file when it is finished; at least one, were it empty.
     * @param outputs opens the file of a number, counted from 0
     * @param max    draws a file
     * @param place   named in errors
     */
    static <T> Flux<Written> write(
            Flux<Sample<T>> samples, LongFunction<SampleOutput<T>> outputs, long max, String place) {
        Scheduler io = GuardedScheduler.ELASTIC;
        return Flux.usingWhen(
                Mono.fromCallable(() -> new Writing<>(outputs, max, place)),
                writing -> samples.publishOn(io, AHEAD)
                        .handle(writing::append)
                        .concatWith(Mono.fromCallable(Thrown.callable(writing::last))),
                writing -> Mono.fromRunnable(Thrown.runnable(writing::close)).subscribeOn(io));
    }

    private void append(Sample<T> sample, SynchronousSink<Written> finished) {
        try {
            SampleOutput<T> output = output();
            if (sample.isPresent()) {
                output.append(sample);
                samples++;
            } else {
                absent++;
            }
            if (samples + absent == max) {
                finished.next(finish(output));
            }
        } catch (IOException e) {
            throw failed(e);
        } catch (Throwable e) {
            finished.error(Thrown.signal(e));
        }
    }

    private @Nullable Written last() throws IOException {
        if (file > 0 && current == null) {
            return null; // the last file was full
        }
        try {
            return finish(output());
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private StoreException failed(IOException e) {
        return new StoreException("cannot write %s: %s".formatted(place, FileErrors.reason(e)), e);
    }

    private SampleOutput<T> output() {
        SampleOutput<T> output = current;
        if (output == null) {
            output = outputs.apply(file);
            current = output;
            if (closed) { // cancelled while it was opened
                output.close();
            }
        }
        return output;
    }

    private Written finish(SampleOutput<T> output) throws IOException {
        Written written = output.finish(samples, absent);
        current = null;
        file++;
        samples = 0;
        absent = 0;
        return written;
    }

    /** May come while a sample is written: that then fails, and there is no subscriber any more. */
    private void close() {
        closed = true;
        SampleOutput<T> output = current;
        if (output != null) {
            output.close();
        }
    }
}

package io.penstock.fit;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Indexing;
import io.penstock.pipeline.SampleId;
import io.penstock.stream.Execution;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import reactor.core.publisher.Mono;

/** A process that fits samples of slow files. It says in a log which files it has begun, and can wait at one for ever. */
final class KilledFit {

    static final int FILES = 250;
    static final int ROWS = 30;

    /** What a file takes at least. */
    static final Duration PAUSE = Duration.ofMillis(20);

    private KilledFit() {}

    /** Files of numbers, of which one is never read. */
    record Numbers(Path log, int waitsAt) implements Dataset<Tensor> {

        @Override
        public long size() {
            return (long) FILES * ROWS;
        }

        @Override
        public Fingerprint fingerprint() {
            return Fingerprint.of("numbers of slow files");
        }

        @Override
        public SampleId id(long index) {
            return SampleId.of(
                    SampleKey.of(fingerprint()).with(index),
                    () -> "#" + index,
                    () -> List.of("file " + Math.floorDiv(index, ROWS)));
        }

        @Override
        public Mono<Tensor> get(long index) {
            Mono<Tensor> number = Mono.just(Tensor.scalar(Math.sin((double) index) * 1000));
            if (index % ROWS > 0) {
                return number;
            }
            long file = index / ROWS;
            return file == waitsAt ? Mono.never() : number.delayElement(PAUSE).doOnNext(each -> say(file));
        }

        private void say(long file) {
            try {
                Files.writeString(log, file + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    static Fit fit(Numbers numbers, Indexing indexing) {
        Execution oneByOne = Execution.standard().inFlight(1);
        return Objects.requireNonNull(
                Fit.of(numbers, Schema.tensor("x"), indexing.on(oneByOne)).block());
    }

    /** FOLDER, LOG and the number of the file to wait at. */
    public static void main(String[] args) {
        Path folder = Path.of(args[0]);
        Numbers numbers = new Numbers(folder.resolve(args[1]), Integer.parseInt(args[2]));
        fit(numbers, Indexing.keptIn(folder.resolve("parts"))).write(folder.resolve("fit.json"));
    }
}

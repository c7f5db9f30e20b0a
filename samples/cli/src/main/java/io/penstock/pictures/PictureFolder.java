package io.penstock.pictures;

import io.penstock.fault.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** A folder of class folders of JPEG files, as a training set lies on disk. */
public final class PictureFolder {

    /** The number of class folders. */
    public static final int CLASSES = 10;

    private PictureFolder() {}

    /**
     * Writes pictures 0 to {@code count - 1}, spread evenly over the classes, on all processors. Emits how many there
     * are as they come; fails with a {@link StoreException} if the folder cannot be written.
     */
    public static Flux<Integer> write(Path folder, int count) {
        return Mono.<Integer>fromRunnable(() -> makeClasses(folder, Math.min(CLASSES, count)))
                .subscribeOn(Schedulers.boundedElastic())
                .thenMany(Flux.range(0, count)
                        .flatMap(
                                number -> Mono.fromRunnable(() -> writeOne(folder, number))
                                        .thenReturn(number)
                                        .subscribeOn(Schedulers.boundedElastic()),
                                Schedulers.DEFAULT_POOL_SIZE))
                .index((before, number) -> Math.toIntExact(before + 1));
    }

    private static void makeClasses(Path folder, int classes) {
        try {
            for (int label = 0; label < classes; label++) {
                Files.createDirectories(folder.resolve(className(label)));
            }
        } catch (IOException e) {
            throw new StoreException("cannot write pictures to %s: %s".formatted(folder, e), e);
        }
    }

    private static void writeOne(Path folder, int number) {
        Path file = folder.resolve(className(number % CLASSES)).resolve("%05d.jpg".formatted(number));
        try {
            Files.write(file, Photograph.of(number).jpeg());
        } catch (IOException e) {
            throw new StoreException("cannot write %s: %s".formatted(file, e), e);
        }
    }

    private static String className(int label) {
        return "class-" + label;
    }
}

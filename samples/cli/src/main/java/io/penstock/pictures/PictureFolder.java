package io.penstock.pictures;

import io.penstock.fault.StoreException;
import io.penstock.internal.FileWork;
import io.penstock.internal.GuardedScheduler;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** A folder of class folders of JPEG files, as a training set lies on disk. */
public final class PictureFolder {

    public static final int CLASSES = 10;

    /** The hidden folder of the masks, in a folder of class folders. */
    public static final String MASKS = ".masks";

    private PictureFolder() {}

    /**
     * Writes pictures 0 to {@code count - 1}, spread evenly over the classes, on all processors. Emits how many there
     * are as they come; fails with a {@link StoreException} if the folder cannot be written.
     */
    public static Flux<Integer> write(Path folder, int count) {
        return write(List.of(folder), count, () -> false);
    }

    /**
     * The same, with every ten of them in the next of several folders.
     * @param stopped ends the flux early, once the files that are being written are complete. After a cancellation,
     *                a few files may still appear.
     */
    public static Flux<Integer> write(List<Path> folders, int count, BooleanSupplier stopped) {
        return write(folders, count, stopped, false);
    }

    /** The same, with a mask of each picture's objects in {@link #MASKS}: {@code .masks/class-3/00013.png}. */
    public static Flux<Integer> writeWithMasks(List<Path> folders, int count, BooleanSupplier stopped) {
        return write(folders, count, stopped, true);
    }

    private static Flux<Integer> write(List<Path> folders, int count, BooleanSupplier stopped, boolean masked) {
        return Flux.range(0, count)
                .takeWhile(number -> !stopped.getAsBoolean())
                .flatMap(
                        number -> Mono.fromRunnable(
                                        () -> writeOne(folders.get(number / CLASSES % folders.size()), number, masked))
                                .thenReturn(number)
                                .subscribeOn(GuardedScheduler.ELASTIC),
                        Schedulers.DEFAULT_POOL_SIZE)
                .index((before, number) -> Math.toIntExact(before + 1));
    }

    private static void writeOne(Path folder, int number, boolean masked) {
        Photograph photograph = Photograph.of(number);
        String name = "class-%d/%05d".formatted(number % CLASSES, number);
        write(folder.resolve(name + ".jpg"), photograph.jpeg());
        if (masked) {
            write(folder.resolve(MASKS).resolve(name + ".png"), photograph.mask());
        }
    }

    private static void write(Path file, byte[] bytes) {
        FileWork.run("cannot write " + file, () -> {
            Files.createDirectories(file.getParent());
            Files.write(file, bytes);
        });
    }
}

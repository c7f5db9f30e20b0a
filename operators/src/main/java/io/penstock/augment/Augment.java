package io.penstock.augment;

import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Crop, flip, colour jitter, erasing and normalisation in one pass: each row goes from the source to its place in the
 * output, the only array of its size, and is changed there. Each of the five is optional.
 *
 * <p>They always run, and draw their random numbers, in that order. So the values are those of the separate transforms
 * one after another, {@code crop.then(flip).then(jitter)}, with the same generator.
 *
 * <p>Shapes: {@code u8[h, w, c]} becomes {@code u8[height, width, c]}, or {@code f32} if normalised. Other dtypes as
 * the pieces take them. Immutable and thread-safe.
 */
public final class Augment implements ImageTransform<Augment.Parameters> {

    private static final Augment WHOLE = new Augment(null, null, null, null, null);

    private final @Nullable Cropping cropping;
    private final @Nullable HorizontalFlip flip;
    private final @Nullable ColourJitter jitter;
    private final @Nullable RandomErasing erasing;
    private final @Nullable Normalise normalise;

    /**
     * The parameters for one image.
     *
     * @param region  the part that is used
     * @param flipped whether it is mirrored
     * @param colour  the changes of its colours
     * @param erasure the erased rectangle, in the coordinates of the result
     */
    public record Parameters(Region region, boolean flipped, Colour colour, RandomErasing.Erasure erasure) {}

    private Augment(
            @Nullable Cropping cropping,
            @Nullable HorizontalFlip flip,
            @Nullable ColourJitter jitter,
            @Nullable RandomErasing erasing,
            @Nullable Normalise normalise) {
        this.cropping = cropping;
        this.flip = flip;
        this.jitter = jitter;
        this.erasing = erasing;
        this.normalise = normalise;
    }

    /** Begins with a crop of this size from inside the image. */
    public static Augment crop(int height, int width) {
        return crop(RandomCrop.of(height, width));
    }

    /** Begins with this crop. */
    public static Augment crop(RandomCrop crop) {
        return WHOLE.cropped(crop);
    }

    /** Begins with a crop of random size, resized to this size. */
    public static Augment resizedCrop(int height, int width) {
        return crop(RandomResizedCrop.of(height, width));
    }

    /** Begins with this crop. */
    public static Augment crop(RandomResizedCrop crop) {
        return WHOLE.cropped(crop);
    }

    /** Begins with the whole image. */
    public static Augment whole() {
        return WHOLE;
    }

    Augment cropped(Cropping with) {
        return new Augment(with, flip, jitter, erasing, normalise);
    }

    /** With a flip of probability 0.5. */
    public Augment flip() {
        return flip(HorizontalFlip.of(0.5));
    }

    /** With this flip. */
    public Augment flip(HorizontalFlip with) {
        return new Augment(cropping, with, jitter, erasing, normalise);
    }

    /** With colours changed by these strengths; see {@link ColourJitter#of}. */
    public Augment jitter(double brightness, double contrast, double saturation, double hue) {
        return jitter(ColourJitter.of(brightness, contrast, saturation, hue));
    }

    /** With this jitter. */
    public Augment jitter(ColourJitter with) {
        return new Augment(cropping, flip, with, erasing, normalise);
    }

    /** With a rectangle erased with this probability; see {@link RandomErasing#of}. */
    public Augment erase(double probability) {
        return erase(RandomErasing.of(probability));
    }

    /** With this erasing. */
    public Augment erase(RandomErasing with) {
        return new Augment(cropping, flip, jitter, with, normalise);
    }

    /** As floats, by the mean and deviation of each channel; see {@link Normalise#of}. */
    public Augment normalise(double[] mean, double[] deviation) {
        return normalise(Normalise.of(mean, deviation));
    }

    /** As floats, by this normalisation. */
    public Augment normalise(Normalise with) {
        return new Augment(cropping, flip, jitter, erasing, with);
    }

    @Override
    public Parameters draw(Shape shape, RandomGenerator random) {
        Image image = Image.of(shape);
        Region region = cropping == null ? image.whole() : cropping.draw(shape, random);
        Image cropped = cropping == null ? image : image.resized(cropping.height(), cropping.width());
        boolean flipped = flip != null && flip.draw(shape, random).flipped();
        Colour colour = jitter == null ? Colour.UNCHANGED : jitter.draw(random);
        RandomErasing.Erasure erasure = erasing == null ? RandomErasing.Erasure.NONE : erasing.draw(cropped, random);
        return new Parameters(region, flipped, colour, erasure);
    }

    /**
     * {@inheritDoc}
     * <p>Parameters of transforms that this augmentation does not have are ignored.
     */
    @Override
    public Tensor apply(Tensor image, Parameters drawn) {
        CroppedRows rows = cropping == null ? CroppedRows.whole(image) : cropping.rows(image, drawn.region);
        ColourJitter.Colouring colouring = jitter == null ? null : ColourJitter.colouring(image, drawn.colour);
        RandomErasing.Eraser eraser =
                erasing == null ? null : erasing.eraser(image.dtype(), rows.size(), drawn.erasure);
        if (normalise != null) {
            normalise.require(image);
        }
        return new Pass(rows)
                .flipped(flip != null && drawn.flipped)
                .coloured(colouring)
                .erased(eraser)
                .normalised(normalise)
                .run();
    }

    /** All parts with their parameters, {@code crop=200,flip=0.5}, as {@link AugmentSpec} parses them. */
    @Override
    public String name() {
        List<String> names = new ArrayList<>();
        for (Object part : new @Nullable Object[] {cropping, flip, jitter, erasing, normalise}) {
            if (part != null) {
                names.add(part.toString());
            }
        }
        return names.isEmpty() ? "whole" : String.join(",", names);
    }

    @Override
    public String toString() {
        return name();
    }
}

package io.penstock.augment;

import io.penstock.image.internal.Homography;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import io.penstock.vision.Part;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Crop, flip, policies, colour jitter, erasing and normalisation. Without a policy they are one pass: each row goes from
 * the source to its place in the output, the only array of its size, and is changed there. Each of them is optional.
 *
 * <p>They always run, and draw their random numbers, in that order. So the values are those of the separate transforms
 * one after another, {@code crop.then(flip).then(jitter)}, with the same generator. A {@link Policy} is one warp, and a
 * pass for each change of colours.
 *
 * <p>It is for one picture. A sample with masks, boxes or other parts is moved as a whole: {@link #over}.
 *
 * <p>Shapes: {@code u8[h, w, c]} becomes {@code u8[height, width, c]}, or {@code f32} if normalised. Other dtypes as
 * the pieces take them. Immutable and thread-safe.
 */
public final class Augment implements ImageTransform<Augment.Parameters> {

    private static final Augment WHOLE = new Augment(null, null, List.of(), null, null, null, PartRules.USUAL);

    private final @Nullable Cropping cropping;
    private final @Nullable HorizontalFlip flip;
    private final List<Policy> policies;
    private final @Nullable ColourJitter jitter;
    private final @Nullable RandomErasing erasing;
    private final @Nullable Normalise normalise;
    private final PartRules rules;

    /**
     * The parameters for one image.
     *
     * @param region  the part that is used
     * @param flipped whether it is mirrored
     * @param steps   what policies do to it then
     * @param colour  the changes of its colours
     * @param erasure the erased rectangle, in the coordinates of the result
     */
    public record Parameters(
            Region region, boolean flipped, List<Step> steps, Colour colour, RandomErasing.Erasure erasure) {

        public Parameters {
            steps = List.copyOf(steps);
        }
    }

    private Augment(
            @Nullable Cropping cropping,
            @Nullable HorizontalFlip flip,
            List<Policy> policies,
            @Nullable ColourJitter jitter,
            @Nullable RandomErasing erasing,
            @Nullable Normalise normalise,
            PartRules rules) {
        this.cropping = cropping;
        this.flip = flip;
        this.policies = policies;
        this.jitter = jitter;
        this.erasing = erasing;
        this.normalise = normalise;
        this.rules = rules;
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
        return new Augment(with, flip, policies, jitter, erasing, normalise, rules);
    }

    /** With a flip of probability 0.5. */
    public Augment flip() {
        return flip(HorizontalFlip.of(0.5));
    }

    /** With this flip. */
    public Augment flip(HorizontalFlip with) {
        return new Augment(cropping, with, policies, jitter, erasing, normalise, rules);
    }

    /** With the changes of this policy, after those of earlier policies. */
    public Augment policy(Policy with) {
        List<Policy> all = new ArrayList<>(policies);
        all.add(with);
        return new Augment(cropping, flip, List.copyOf(all), jitter, erasing, normalise, rules);
    }

    /** With this change. */
    public Augment change(Change with) {
        return policy(Policy.of(with));
    }

    /** With colours changed by these strengths; see {@link ColourJitter#of}. */
    public Augment jitter(double brightness, double contrast, double saturation, double hue) {
        return jitter(ColourJitter.of(brightness, contrast, saturation, hue));
    }

    /** With this jitter. */
    public Augment jitter(ColourJitter with) {
        return new Augment(cropping, flip, policies, with, erasing, normalise, rules);
    }

    /** With a rectangle erased with this probability; see {@link RandomErasing#of}. */
    public Augment erase(double probability) {
        return erase(RandomErasing.of(probability));
    }

    /** With this erasing. */
    public Augment erase(RandomErasing with) {
        return new Augment(cropping, flip, policies, jitter, with, normalise, rules);
    }

    /** As floats, by this normalisation. */
    public Augment normalise(Normalise with) {
        return new Augment(cropping, flip, policies, jitter, erasing, with, rules);
    }

    /**
     * With boxes dropped of which less than this is left: a share of the box's area, and an area in pixels of the result.
     * Boxes of which nothing is left are always dropped.
     * @throws IllegalArgumentException unless {@code 0 <= minVisible <= 1} and {@code minArea >= 0}
     */
    public Augment boxes(double minVisible, double minArea) {
        return ruled(new PartRules(minVisible, minArea, rules.maskFill(), rules.linear()));
    }

    /** With this class in masks where there is no picture: 0 without this. */
    public Augment maskFill(long value) {
        return ruled(new PartRules(rules.minVisible(), rules.minArea(), value, rules.linear()));
    }

    /** With dense values interpolated, which must be {@code f32}: the nearest are taken without this. */
    public Augment linearDense() {
        return ruled(new PartRules(rules.minVisible(), rules.minArea(), rules.maskFill(), true));
    }

    private Augment ruled(PartRules with) {
        return new Augment(cropping, flip, policies, jitter, erasing, normalise, with);
    }

    /**
     * The same over records whose components are parts of a sample: pixels, masks, boxes and others.
     * @throws IllegalArgumentException if no component is a {@link Part}
     */
    public <T extends Record> JointAugment<T> over(Class<T> type) {
        return new JointAugment<>(this, type);
    }

    /**
     * The parameters for a sample of several parts: those for its first picture.
     * @throws IllegalArgumentException if there is none, or no parameters would fit it
     */
    public Parameters draw(List<Part> parts, RandomGenerator random) {
        return draw(JointParts.shape(parts), random);
    }

    /**
     * Applies these parameters to all parts of a sample, each by its own rule; in the same order.
     * @throws IllegalArgumentException if the parts do not fit each other or the parameters, or a box is none
     */
    public List<Part> apply(List<Part> parts, Parameters drawn) {
        return joint(parts, drawn).moved(parts, picture -> apply(picture, drawn));
    }

    /** What each box of a sample becomes by these parameters, in the order of the boxes. */
    public List<BoxMove> boxes(List<Part> parts, Parameters drawn) {
        return joint(parts, drawn).moves();
    }

    private JointParts joint(List<Part> parts, Parameters drawn) {
        Image image = Image.of(JointParts.shape(parts));
        Image target = cropping == null ? image : image.resized(cropping.height(), cropping.width());
        Region region = cropping == null ? image.whole() : drawn.region;
        boolean reflects = cropping instanceof RandomCrop crop && crop.reflects();
        boolean flipped = flip != null && drawn.flipped;
        Homography back = policies.isEmpty() ? Homography.IDENTITY : Steps.back(drawn.steps, target);
        return new JointParts(parts, new Geometry(image, target, region, reflects, flipped, back), rules);
    }

    /** The same with {@link Normalise#channelsFirst}, of the same name; empty if it does not normalise. */
    public Optional<Augment> channelsFirst() {
        return Optional.ofNullable(normalise).map(floats -> normalise(floats.channelsFirst()));
    }

    @Override
    public Parameters draw(Shape shape, RandomGenerator random) {
        Image image = Image.of(shape);
        Region region = cropping == null ? image.whole() : cropping.draw(shape, random);
        Image cropped = cropping == null ? image : image.resized(cropping.height(), cropping.width());
        boolean flipped = flip != null && flip.draw(shape, random).flipped();
        List<Step> steps = new ArrayList<>();
        policies.forEach(policy -> steps.addAll(policy.draw(cropped, random)));
        Colour colour = jitter == null ? Colour.UNCHANGED : jitter.draw(random);
        RandomErasing.Erasure erasure = erasing == null ? RandomErasing.Erasure.NONE : erasing.draw(cropped, random);
        return new Parameters(region, flipped, steps, colour, erasure);
    }

    /**
     * {@inheritDoc}
     * <p>Parameters of transforms that this augmentation does not have are ignored.
     */
    @Override
    public Tensor apply(Tensor image, Parameters drawn) {
        CroppedRows rows = cropping == null ? CroppedRows.whole(image) : cropping.rows(image, drawn.region);
        boolean flipped = flip != null && drawn.flipped;
        if (!policies.isEmpty() && !drawn.steps.isEmpty()) {
            Tensor moved = new Pass(rows).flipped(flipped).run();
            rows = CroppedRows.whole(Steps.apply(moved, drawn.steps));
            flipped = false;
        }
        ColourJitter.Colouring colouring = jitter == null ? null : ColourJitter.colouring(image, drawn.colour);
        RandomErasing.Eraser eraser =
                erasing == null ? null : erasing.eraser(image.dtype(), rows.size(), drawn.erasure);
        if (normalise != null) {
            normalise.require(image);
        }
        return new Pass(rows)
                .flipped(flipped)
                .coloured(colouring)
                .erased(eraser)
                .normalised(normalise)
                .run();
    }

    /** All parts with their parameters, {@code crop=200,flip=0.5}, as {@link AugmentSpec} parses them. */
    @Override
    public String name() {
        List<String> names = new ArrayList<>();
        Stream.of(Stream.of(cropping, flip), policies.stream(), Stream.of(jitter, erasing, normalise))
                .flatMap(each -> each)
                .filter(Objects::nonNull)
                .forEach(part -> names.add(part.toString()));
        return (names.isEmpty() ? "whole" : String.join(",", names)) + rules.words();
    }

    @Override
    public String toString() {
        return name();
    }
}

package io.penstock.augment;

import io.penstock.internal.Arguments;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Parses augmentations written as text: {@code crop=200,flip,jitter=0.4}.
 *
 * <table>
 * <caption>The words; parts in brackets are optional</caption>
 * <tr><td>{@code crop=200}, {@code crop=200x300}</td><td>{@code [:pad=4] [:reflect]}</td>
 *     <td>height × width; {@link RandomCrop}</td></tr>
 * <tr><td>{@code resized-crop=224}, {@code =224x192}</td><td>{@code [:scale=0.08..1] [:ratio=0.75..1.33]}</td>
 *     <td>height × width; {@link RandomResizedCrop}</td></tr>
 * <tr><td>{@code flip}, {@code flip=0.5}</td><td></td><td>probability; {@link HorizontalFlip}</td></tr>
 * <tr><td>{@code jitter=0.4}, {@code jitter=0.4:0.4:0.4:0.1}</td><td></td>
 *     <td>brightness, contrast, saturation, hue; one number is the first three; {@link ColourJitter}</td></tr>
 * <tr><td>{@code erase=0.25}</td><td>{@code [:scale=0.02..0.33] [:ratio=0.3..3.3] [:value=0] [:noise]}</td>
 *     <td>probability; a value for each channel as {@code 124/116/104}; {@link RandomErasing}</td></tr>
 * <tr><td>{@code normalise=imagenet}, {@code normalise=0.5:0.25}</td><td></td>
 *     <td>mean and deviation, for each channel as {@code 0.5/0.4/0.4}; {@link Normalise}</td></tr>
 * <tr><td>{@code boxes=0.25}</td><td>{@code [:area=16]}</td>
 *     <td>drops boxes of a smaller visible share or area; {@link Augment#boxes(double, double)}</td></tr>
 * <tr><td>{@code mask=255}</td><td></td><td>the class outside the picture; {@link Augment#maskFill}</td></tr>
 * <tr><td>{@code dense=linear}</td><td></td><td>or {@code nearest}; {@link Augment#linearDense}</td></tr>
 * </table>
 *
 * <p>Policies are further words. {@code rotate=30} is an {@link Operation}, of a magnitude or a range of them,
 * {@code rotate=10..30:p=0.5}; operations without a magnitude take the probability, {@code invert=0.5}.
 * {@code randaugment=2:9}, {@code trivialaugment} and {@code autoaugment=imagenet} are published.
 * {@code choose=2(rotate=30|blur=1)} takes one of several twice, {@code any-order(…)} all in an order that is drawn.
 *
 * <p>Each of the words in the table at most once, and at most one of the two crops. {@link Augment} defines the order;
 * policies are in the order of the text among themselves.
 */
public final class AugmentSpec {

    private static final List<String> WORDS =
            List.of("crop", "resized-crop", "flip", "jitter", "erase", "normalise", "boxes", "mask", "dense", "whole");
    private static final List<String> KNOWN = Stream.of(WORDS, Operation.words(), PolicySpec.WORDS)
            .flatMap(List::stream)
            .toList();
    private static final String SIZE = "height and width in pixels, 200 or 200x300";
    private static final String STRENGTHS = "one strength or four, jitter=0.4 or jitter=0.4:0.4:0.4:0.1";
    private static final String STATISTICS = "imagenet, or mean and deviation, normalise=0.5:0.25";

    private AugmentSpec() {}

    /**
     * Parses such a text. The result's {@link Augment#name} has the same words in canonical form: a good name for the
     * stage, and parsed again it gives the same augmentation.
     * @throws IllegalArgumentException if it is none: names the word, what is wrong with it, and the known words
     */
    public static Augment parse(String text) {
        Augment augment = Augment.whole();
        Set<String> seen = new HashSet<>();
        for (String part : text.split(",", -1)) {
            AugmentWord word = PolicySpec.isGroup(part.strip())
                    ? new AugmentWord(part.strip(), "choose", List.of())
                    : AugmentWord.of(part.strip());
            if (!KNOWN.contains(word.name())) {
                throw new IllegalArgumentException("unknown augmentation \"%s\" in \"%s\"; known are %s"
                        .formatted(word.name(), text, String.join(", ", KNOWN)));
            }
            try {
                String kind = word.name().endsWith("crop") ? "crop" : word.name();
                if (!seen.add(kind) && WORDS.contains(word.name())) {
                    throw new IllegalArgumentException(
                            kind.equals("crop") ? "one crop is enough" : "it is there twice");
                }
                augment = with(augment, word);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("augmentation \"%s\": %s".formatted(word.text(), e.getMessage()), e);
            }
        }
        return augment;
    }

    private static Augment with(Augment augment, AugmentWord word) {
        return switch (word.name()) {
            case "crop" -> augment.cropped(crop(word));
            case "resized-crop" -> augment.cropped(resizedCrop(word));
            case "flip" -> augment.flip(HorizontalFlip.of(word.probability(0.5)));
            case "jitter" -> augment.jitter(jitter(word));
            case "erase" -> augment.erase(erasing(word));
            case "boxes" -> boxes(augment, word);
            case "mask" -> augment.maskFill(AugmentWord.integer(word.first("the class outside, mask=255"), "mask"));
            case "dense" -> dense(augment, word);
            case "whole" -> augment;
            case "normalise" -> augment.normalise(normalise(word));
            case "choose" -> augment.policy(PolicySpec.group(word.text()));
            default -> augment.policy(PolicySpec.policy(word));
        };
    }

    private static Augment boxes(Augment augment, AugmentWord word) {
        double visible = AugmentWord.number(word.first("the visible share, boxes=0.25"), "visible share");
        String area = word.options("area=16").getOrDefault("area", "0");
        return augment.boxes(visible, AugmentWord.number(area, "area"));
    }

    private static Augment dense(Augment augment, AugmentWord word) {
        String rule = word.first("nearest or linear");
        if (!rule.equals("nearest") && !rule.equals("linear")) {
            throw AugmentWord.takes("nearest or linear");
        }
        return rule.equals("linear") ? augment.linearDense() : augment;
    }

    private static RandomCrop crop(AugmentWord word) {
        int[] size = word.size(SIZE);
        Map<String, String> options = word.options("pad=4, reflect");
        int around = AugmentWord.integer(options.getOrDefault("pad", "0"), "pad");
        boolean reflects = options.containsKey("reflect");
        Arguments.refuse(around == 0 && reflects, "reflect needs pad=… too");
        return RandomCrop.of(size[0], size[1]).padding(around, reflects ? Padding.REFLECT : Padding.ZERO);
    }

    private static RandomResizedCrop resizedCrop(AugmentWord word) {
        int[] size = word.size(SIZE);
        RandomResizedCrop crop = RandomResizedCrop.of(size[0], size[1]);
        for (String option : word.options()) {
            crop = switch (AugmentWord.key(option)) {
                case "scale" -> crop.scale(low(option), high(option));
                case "ratio" -> crop.ratio(low(option), high(option));
                default -> throw AugmentWord.unknown(option, "scale=0.08..1, ratio=0.75..1.33");
            };
        }
        return crop;
    }

    private static ColourJitter jitter(AugmentWord word) {
        double first = AugmentWord.number(word.first(STRENGTHS), "brightness");
        List<String> others = word.options();
        if (others.isEmpty()) {
            return ColourJitter.of(first, first, first, 0);
        }
        if (others.size() != 3) {
            throw AugmentWord.takes(STRENGTHS);
        }
        return ColourJitter.of(
                first,
                AugmentWord.number(others.get(0), "contrast"),
                AugmentWord.number(others.get(1), "saturation"),
                AugmentWord.number(others.get(2), "hue"));
    }

    private static RandomErasing erasing(AugmentWord word) {
        RandomErasing erasing =
                RandomErasing.of(AugmentWord.number(word.first("a probability, erase=0.25"), "probability"));
        for (String option : word.options()) {
            erasing = switch (AugmentWord.key(option)) {
                case "scale" -> erasing.scale(low(option), high(option));
                case "ratio" -> erasing.ratio(low(option), high(option));
                case "value" -> erasing.value(AugmentWord.numbers(AugmentWord.value(option), "value"));
                case "noise" -> erasing.noise();
                default -> throw AugmentWord.unknown(option, "scale=0.02..0.33, ratio=0.3..3.3, value=0, noise");
            };
        }
        return erasing;
    }

    private static Normalise normalise(AugmentWord word) {
        String first = word.first(STATISTICS);
        boolean imageNet = first.equals("imagenet");
        if (word.options().size() != (imageNet ? 0 : 1)) {
            throw AugmentWord.takes(STATISTICS);
        }
        return imageNet
                ? Normalise.imageNet()
                : Normalise.of(
                        AugmentWord.numbers(first, "mean"),
                        AugmentWord.numbers(word.options().get(0), "deviation"));
    }

    private static double low(String option) {
        return AugmentWord.range(option)[0];
    }

    private static double high(String option) {
        return AugmentWord.range(option)[1];
    }
}

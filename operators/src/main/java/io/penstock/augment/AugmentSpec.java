package io.penstock.augment;

import java.util.HashSet;
import java.util.Set;

/**
 * Augmentations written in words, as on a command line: {@code crop=200,flip,jitter=0.4}.
 *
 * <table>
 * <caption>The words; what stands in brackets may be left out</caption>
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
 * </table>
 *
 * <p>Each word at most once, and one of the two crops at most. Their order says nothing: it is that of {@link Augment}.
 */
public final class AugmentSpec {

    private static final String KNOWN = "crop, resized-crop, flip, jitter, erase, normalise";
    private static final String SIZE = "height and width in pixels, 200 or 200x300";

    private AugmentSpec() {}

    /**
     * Reads such a text. The result's {@link Augment#name} is the same in canonical words, every default spelt the same
     * way: a good name for the stage, and parsed again it is the same augmentation.
     * @throws IllegalArgumentException if it is none: names the word, what is wrong with it, and what is known
     */
    public static Augment parse(String text) {
        Augment augment = Augment.whole();
        Set<String> seen = new HashSet<>();
        for (String part : text.split(",", -1)) {
            AugmentWord word = AugmentWord.of(part.strip());
            if (!seen.add(word.name().endsWith("crop") ? "crop" : word.name())) {
                throw word.wrong(word.name().endsWith("crop") ? "one crop is enough" : "it is there twice");
            }
            try {
                augment = with(augment, word, text);
            } catch (AugmentWord.UsageException e) {
                throw e;
            } catch (IllegalArgumentException e) {
                throw word.wrong(String.valueOf(e.getMessage()));
            }
        }
        return augment;
    }

    private static Augment with(Augment augment, AugmentWord word, String text) {
        return switch (word.name()) {
            case "crop" -> augment.cropped(crop(word));
            case "resized-crop" -> augment.cropped(resizedCrop(word));
            case "flip" -> augment.flip(flip(word));
            case "jitter" -> augment.jitter(jitter(word));
            case "erase" -> augment.erase(erasing(word));
            case "normalise" -> augment.normalise(normalise(word));
            default ->
                throw new AugmentWord.UsageException(
                        "unknown augmentation \"%s\" in \"%s\"; known are %s".formatted(word.name(), text, KNOWN));
        };
    }

    private static RandomCrop crop(AugmentWord word) {
        int[] size = word.size(SIZE);
        RandomCrop crop = RandomCrop.of(size[0], size[1]);
        int around = 0;
        Padding padding = Padding.ZERO;
        for (String option : word.options()) {
            switch (AugmentWord.key(option)) {
                case "pad" -> around = word.integer(AugmentWord.value(option), "pad");
                case "reflect" -> padding = Padding.REFLECT;
                default -> throw word.unknown(option, "pad=4, reflect");
            }
        }
        if (around == 0 && padding == Padding.REFLECT) {
            throw word.wrong("reflect needs pad=… too");
        }
        return crop.padding(around, padding);
    }

    private static RandomResizedCrop resizedCrop(AugmentWord word) {
        int[] size = word.size(SIZE);
        RandomResizedCrop crop = RandomResizedCrop.of(size[0], size[1]);
        for (String option : word.options()) {
            double[] range;
            switch (AugmentWord.key(option)) {
                case "scale" -> {
                    range = word.range(option);
                    crop = crop.scale(range[0], range[1]);
                }
                case "ratio" -> {
                    range = word.range(option);
                    crop = crop.ratio(range[0], range[1]);
                }
                default -> throw word.unknown(option, "scale=0.08..1, ratio=0.75..1.33");
            }
        }
        return crop;
    }

    private static HorizontalFlip flip(AugmentWord word) {
        if (word.arguments().isEmpty()) {
            return HorizontalFlip.of(0.5);
        }
        word.none(word.options(), "a probability only, flip=0.5");
        return HorizontalFlip.of(word.number(word.first("a probability, flip=0.5"), "probability"));
    }

    private static ColourJitter jitter(AugmentWord word) {
        String wanted = "one strength or four, jitter=0.4 or jitter=0.4:0.4:0.4:0.1";
        double first = word.number(word.first(wanted), "brightness");
        if (word.options().isEmpty()) {
            return ColourJitter.of(first, first, first, 0);
        }
        if (word.options().size() != 3) {
            throw word.wrong("it takes " + wanted);
        }
        return ColourJitter.of(
                first,
                word.number(word.options().get(0), "contrast"),
                word.number(word.options().get(1), "saturation"),
                word.number(word.options().get(2), "hue"));
    }

    private static RandomErasing erasing(AugmentWord word) {
        RandomErasing erasing = RandomErasing.of(word.number(word.first("a probability, erase=0.25"), "probability"));
        for (String option : word.options()) {
            double[] range;
            switch (AugmentWord.key(option)) {
                case "scale" -> {
                    range = word.range(option);
                    erasing = erasing.scale(range[0], range[1]);
                }
                case "ratio" -> {
                    range = word.range(option);
                    erasing = erasing.ratio(range[0], range[1]);
                }
                case "value" -> erasing = erasing.value(word.numbers(AugmentWord.value(option), "value"));
                case "noise" -> erasing = erasing.noise();
                default -> throw word.unknown(option, "scale=0.02..0.33, ratio=0.3..3.3, value=0, noise");
            }
        }
        return erasing;
    }

    private static Normalise normalise(AugmentWord word) {
        String wanted = "imagenet, or mean and deviation, normalise=0.5:0.25";
        String first = word.first(wanted);
        if (first.equals("imagenet")) {
            word.none(word.options(), wanted);
            return Normalise.imageNet();
        }
        if (word.options().size() != 1) {
            throw word.wrong("it takes " + wanted);
        }
        return Normalise.of(
                word.numbers(first, "mean"), word.numbers(word.options().get(0), "deviation"));
    }
}

package io.penstock.augment;

import java.util.Locale;

/** The tables of the AutoAugment paper, for three data sets. */
public enum AutoAugmentTable {
    IMAGENET("""
            posterise 0.4 8 rotate 0.6 9
            solarise 0.6 5 autocontrast 0.6 0
            equalise 0.8 0 equalise 0.6 0
            posterise 0.6 7 posterise 0.6 6
            equalise 0.4 0 solarise 0.2 4
            equalise 0.4 0 rotate 0.8 8
            solarise 0.6 3 equalise 0.6 0
            posterise 0.8 5 equalise 1.0 0
            rotate 0.2 3 solarise 0.6 8
            equalise 0.6 0 posterise 0.4 6
            rotate 0.8 8 saturation 0.4 0
            rotate 0.4 9 equalise 0.6 0
            equalise 0.0 0 equalise 0.8 0
            invert 0.6 0 equalise 1.0 0
            saturation 0.6 4 contrast 1.0 8
            rotate 0.8 8 saturation 1.0 2
            saturation 0.8 8 solarise 0.8 7
            sharpness 0.4 7 invert 0.6 0
            shear-x 0.6 5 equalise 1.0 0
            saturation 0.4 0 equalise 0.6 0
            equalise 0.4 0 solarise 0.2 4
            solarise 0.6 5 autocontrast 0.6 0
            invert 0.6 0 equalise 1.0 0
            saturation 0.6 4 contrast 1.0 8
            equalise 0.8 0 equalise 0.6 0"""),
    CIFAR10("""
            invert 0.1 0 contrast 0.2 6
            rotate 0.7 2 translate-x 0.3 9
            sharpness 0.8 1 sharpness 0.9 3
            shear-y 0.5 8 translate-y 0.7 9
            autocontrast 0.5 0 equalise 0.9 0
            shear-y 0.2 7 posterise 0.3 7
            saturation 0.4 3 brightness 0.6 7
            sharpness 0.3 9 brightness 0.7 9
            equalise 0.6 0 equalise 0.5 0
            contrast 0.6 7 sharpness 0.6 5
            saturation 0.7 7 translate-x 0.5 8
            equalise 0.3 0 autocontrast 0.4 0
            translate-y 0.4 3 sharpness 0.2 6
            brightness 0.9 6 saturation 0.2 8
            solarise 0.5 2 invert 0.0 0
            equalise 0.2 0 autocontrast 0.6 0
            equalise 0.2 0 equalise 0.6 0
            saturation 0.9 9 equalise 0.6 0
            autocontrast 0.8 0 solarise 0.2 8
            brightness 0.1 3 saturation 0.7 0
            solarise 0.4 5 autocontrast 0.9 0
            translate-y 0.9 9 translate-y 0.7 9
            autocontrast 0.9 0 solarise 0.8 3
            equalise 0.8 0 invert 0.1 0
            translate-y 0.7 9 autocontrast 0.9 0"""),
    SVHN("""
            shear-x 0.9 4 invert 0.2 0
            shear-y 0.9 8 invert 0.7 0
            equalise 0.6 0 solarise 0.6 6
            invert 0.9 0 equalise 0.6 0
            equalise 0.6 0 rotate 0.9 3
            shear-x 0.9 4 autocontrast 0.8 0
            shear-y 0.9 8 invert 0.4 0
            shear-y 0.9 5 solarise 0.2 6
            invert 0.9 0 autocontrast 0.8 0
            equalise 0.6 0 rotate 0.9 3
            shear-x 0.9 4 solarise 0.3 3
            shear-y 0.8 8 invert 0.7 0
            equalise 0.9 0 translate-y 0.6 6
            invert 0.9 0 equalise 0.6 0
            contrast 0.3 3 rotate 0.8 4
            invert 0.8 0 translate-y 0.0 2
            shear-y 0.7 6 solarise 0.4 8
            invert 0.6 0 rotate 0.8 4
            shear-y 0.3 7 translate-x 0.9 3
            shear-x 0.1 6 invert 0.6 0
            solarise 0.7 2 translate-y 0.6 7
            shear-y 0.8 4 invert 0.8 0
            shear-x 0.7 9 translate-y 0.8 3
            shear-y 0.8 5 autocontrast 0.7 0
            shear-x 0.7 2 invert 0.1 0""");

    /** A line for each pair: operation, probability and magnitude, twice. */
    final String pairs;

    AutoAugmentTable(String pairs) {
        this.pairs = pairs;
    }

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}

package io.penstock.augment;

import io.penstock.internal.Arguments;

/**
 * An operation that is drawn: how often, and of which magnitudes.
 *
 * @param operation   what changes
 * @param probability in [0, 1]
 * @param low         the least magnitude, before a sign
 * @param high        the greatest magnitude
 * @param bins        the number of magnitudes from low to high that are equally likely; 0 for all between them
 */
public record Change(Operation operation, double probability, double low, double high, int bins) {

    public Change {
        RandomNumbers.requireProbability(operation.word(), probability);
        operation.requireMagnitudes(low, high);
        Arguments.refuse(bins < 0 || bins == 1, "bins must be 0, or 2 and more, were %s", bins);
    }

    /** An operation that has no magnitude. */
    public static Change of(Operation operation) {
        return of(operation, 0, 0);
    }

    /**
     * An operation of a magnitude uniform between these. Of operations that have a direction, such as
     * {@link Operation#ROTATE}, both directions are as likely.
     * @throws IllegalArgumentException if the operation has no such magnitudes
     */
    public static Change of(Operation operation, double low, double high) {
        return new Change(operation, 1, low, high, 0);
    }

    /** The same, with this probability. */
    public Change probability(double p) {
        return new Change(operation, p, low, high, bins);
    }

    /** The step for a picture of this size. By a number of [0, 1) its magnitude: with the sign, and in pixels. */
    Step step(Image size, double unit, boolean minus, long noise) {
        double place = bins == 0 ? unit : Math.floor(unit * bins) / (bins - 1);
        double magnitude = low + (high - low) * place;
        switch (operation) {
            case TRANSLATE_X -> magnitude = (int) (high <= 1 ? magnitude * size.width() : magnitude);
            case TRANSLATE_Y -> magnitude = (int) (high <= 1 ? magnitude * size.height() : magnitude);
            case POSTERISE -> magnitude = Math.rint(magnitude);
            default -> {} // as it is
        }
        double sign = operation.signed && minus ? -1 : 1;
        return new Step(operation, sign * magnitude, operation == Operation.PERSPECTIVE ? noise : 0);
    }

    /** In the form that {@link AugmentSpec} parses. */
    @Override
    public String toString() {
        String p = AugmentWord.text(probability);
        if (!operation.hasMagnitude()) {
            return operation.word() + "=" + p;
        }
        String range = low == (operation.signed ? 0 : high) ? AugmentWord.text(high) : AugmentWord.text(low, high);
        String chance = probability == 1 ? "" : ":p=" + p;
        return operation.word() + "=" + range + chance + (bins == 0 ? "" : ":bins=" + bins);
    }
}

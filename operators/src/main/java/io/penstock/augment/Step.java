package io.penstock.augment;

/**
 * An operation that was drawn for one picture.
 *
 * @param operation what changes
 * @param magnitude of it, with its sign; translations in pixels
 * @param noise     of a perspective: where its corners go
 */
public record Step(Operation operation, double magnitude, long noise) {

    @Override
    public String toString() {
        String word = operation.word();
        return operation.hasMagnitude() ? word + " " + AugmentWord.text(Math.rint(magnitude * 1000) / 1000) : word;
    }
}

package io.penstock.augment;

/**
 * The rules for the parts beside the picture.
 *
 * @param minVisible the share of a box's area that must stay in the picture
 * @param minArea    what must be left of it, in pixels of the result
 * @param maskFill   the class where there is no picture
 * @param linear     whether dense values are interpolated
 */
record PartRules(double minVisible, double minArea, long maskFill, boolean linear) {

    static final PartRules USUAL = new PartRules(0, 0, 0, false);

    PartRules {
        RandomNumbers.requireProbability("visible share of boxes", minVisible);
        if (!(minArea >= 0 && Double.isFinite(minArea))) {
            throw new IllegalArgumentException(
                    "area of boxes must be 0 or more pixels, was " + AugmentWord.text(minArea));
        }
    }

    /** Those that differ from the usual ones, in the form that {@link AugmentSpec} parses. */
    String words() {
        String boxes = minVisible == 0 && minArea == 0 ? "" : ",boxes=" + AugmentWord.text(minVisible);
        String area = minArea == 0 ? "" : ":area=" + AugmentWord.text(minArea);
        String mask = maskFill == 0 ? "" : ",mask=" + maskFill;
        return boxes + area + mask + (linear ? ",dense=linear" : "");
    }
}

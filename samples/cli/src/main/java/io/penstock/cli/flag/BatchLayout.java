package io.penstock.cli.flag;

import io.penstock.batch.Batches;
import io.penstock.internal.Arguments;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The order of the axes of images in batches.
 *
 * @param fields with images; none for those that are known
 */
public record BatchLayout(boolean channelsFirst, List<String> fields) {

    private static final String IMAGES = "pixels";
    private static final Pattern WORDS = Pattern.compile("(hwc|chw)|chw:([^,]+(?:,[^,]+)*)");

    /** Reads {@code hwc}, {@code chw} or {@code chw:FIELD,…}. */
    public static BatchLayout parse(String text) {
        Matcher words = WORDS.matcher(text);
        Arguments.refuse(!words.matches(), "hwc, chw or chw:FIELD,… was expected, was \"%s\"", text);
        String fields = words.group(2);
        return new BatchLayout(!text.equals("hwc"), fields == null ? List.of() : List.of(fields.split(",")));
    }

    /** Whether the pixels of pictures are to have their channels first. */
    public boolean isOfPixels() {
        return channelsFirst && (fields.isEmpty() || fields.contains(IMAGES));
    }

    /**
     * Batches in this layout, of samples with fields of these names.
     * @param made whether the samples' pixels have it
     */
    public <T> Batches<T> of(Batches<T> batches, List<String> names, boolean made) {
        if (!channelsFirst) {
            return batches;
        }
        List<String> images = fields;
        if (images.isEmpty()) {
            images = names.size() == 1 ? names : List.of(IMAGES);
        }
        if (fields.isEmpty() && !names.containsAll(images)) {
            throw new IllegalArgumentException(
                    "--layout chw needs the fields that have images: give --layout chw:FIELD, one of " + names);
        }
        return batches.channelsFirst(
                images.stream().filter(field -> !made || !field.equals(IMAGES)).toArray(String[]::new));
    }

    @Override
    public String toString() {
        return (channelsFirst ? "chw" : "hwc") + (fields.isEmpty() ? "" : ":" + String.join(",", fields));
    }
}

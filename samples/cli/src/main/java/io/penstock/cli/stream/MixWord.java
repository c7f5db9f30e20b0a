package io.penstock.cli.stream;

import io.penstock.batch.mix.BatchTransform;
import io.penstock.batch.mix.CopyPaste;
import io.penstock.batch.mix.Mosaic;
import io.penstock.cli.source.RowParts;
import io.penstock.internal.Arguments;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A word of {@code --mix}.
 *
 * @param text     names the stage
 * @param draws    what it draws for each row of a batch
 */
record MixWord(
        String text, BatchTransform transform, BiFunction<Integer, RandomGenerator, List<? extends Record>> draws) {

    private static final Pattern WORD = Pattern.compile("(mosaic|copy-paste)=([\\d.]+)(?::visible=([\\d.]+))?");
    private static final List<String> NEEDED = List.of("boxes", "classes");

    /**
     * The words for samples with these fields.
     * @throws IllegalArgumentException if they are none, or the fields are not those of a picture with others
     */
    static List<MixWord> parse(String spec, List<String> fields) {
        if (!fields.contains(RowParts.PIXELS)
                || fields.contains("keypoints")
                || Stream.of("mask", "depth", "boxes").noneMatch(fields::contains)) {
            throw new IllegalArgumentException(
                    "--mix is for pixels with a mask, depth, or boxes and classes, and not for keypoints; samples have "
                            + fields);
        }
        List<MixWord> words = new ArrayList<>();
        for (String text : spec.split(",", -1)) {
            Matcher word = WORD.matcher(text);
            if (!word.matches()) {
                throw new IllegalArgumentException(
                        "--mix takes mosaic=P or copy-paste=P, each with :visible=SHARE, was \"%s\"".formatted(text));
            }
            double probability = Double.parseDouble(word.group(2));
            double visible = word.group(3) == null ? 0 : Double.parseDouble(word.group(3));
            words.add(
                    word.group(1).equals("mosaic")
                            ? mosaic(text, probability, visible, fields)
                            : copyPaste(text, probability, visible, fields));
        }
        return words;
    }

    private static String[] those(List<String> fields, String... wanted) {
        return Stream.of(wanted).filter(fields::contains).toArray(String[]::new);
    }

    private static MixWord mosaic(String text, double probability, double visible, List<String> fields) {
        Mosaic mosaic = Mosaic.of(probability, those(fields, RowParts.PIXELS, "mask", "depth"));
        Mosaic whole =
                fields.contains("boxes") ? mosaic.boxes(visible, "boxes", those(fields, "classes", "crowd")) : mosaic;
        return new MixWord(text, whole, whole::draw);
    }

    private static MixWord copyPaste(String text, double probability, double visible, List<String> fields) {
        Arguments.refuse(!fields.containsAll(NEEDED), "copy-paste needs %s, samples have %s", NEEDED, fields);
        CopyPaste paste =
                CopyPaste.of(probability, visible, RowParts.PIXELS, "boxes", "classes", those(fields, "crowd"));
        CopyPaste masked = fields.contains("mask") ? paste.mask("mask", those(fields, "depth")) : paste;
        return new MixWord(text, masked, masked::draw);
    }
}

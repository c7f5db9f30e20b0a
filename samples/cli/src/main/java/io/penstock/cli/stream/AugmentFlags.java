package io.penstock.cli.stream;

import io.penstock.augment.Augment;
import io.penstock.augment.AugmentSpec;
import io.penstock.cli.source.Cacheable;
import io.penstock.cli.source.Picture;
import io.penstock.cli.source.RowParts;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Pipeline;
import io.penstock.table.Row;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import io.penstock.vision.Part;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import reactor.core.publisher.Mono;

/** The flag for random changes. */
final class AugmentFlags {

    private static final int CHANNELS = 3;

    @Option(names = "--augment", paramLabel = "SPEC")
    @Nullable String augment;

    /**
     * Pictures with the changes, if there are to be any.
     * @param kept   the same behind a cache
     * @param side   of every picture; null where they differ
     * @param planes whether channels are to come first if the changes make floats
     * @throws IllegalArgumentException if there are no such changes, or pictures of this side cannot be changed so
     */
    Feed<Picture> over(Cacheable<Picture> pictures, Dataset<Picture> kept, @Nullable Integer side, boolean planes) {
        if (augment == null) {
            return Feed.of(pictures, kept, Map.of());
        }
        Augment parsed = AugmentSpec.parse(augment);
        Augment change = planes ? parsed.channelsFirst().orElse(parsed) : parsed;
        Shape shape = side == null ? null : Shape.of(side, side, CHANNELS);
        if (shape != null) {
            require(change, shape);
        }
        Pipeline<Picture> augmented =
                kept.augment(change.name(), (picture, random) -> picture.with(pixels -> change.apply(pixels, random)));
        Feed.Dice dice = draw -> shape != null
                ? Mono.fromCallable(() -> change.draw(shape, draw))
                : kept.get(draw.index())
                        .map(picture -> change.draw(picture.pixels().shape(), draw));
        return Feed.of(pictures, augmented, Map.of(change.name(), dice), change != parsed);
    }

    /**
     * Rows whose fields of known names are changed together, if there are to be any changes.
     * @throws IllegalArgumentException if there are no such changes, or the rows have no picture
     */
    Feed<Row> overRows(Cacheable<Row> rows, Dataset<Row> kept) {
        if (augment == null) {
            return Feed.of(rows, kept, Map.of());
        }
        if (!rows.schema().names().contains(RowParts.PIXELS)) {
            throw new IllegalArgumentException("--augment is for images: samples need a field \"%s\", these have %s"
                    .formatted(RowParts.PIXELS, rows.schema().names()));
        }
        Augment change = AugmentSpec.parse(augment);
        Pipeline<Row> augmented = kept.augment(change.name(), (row, random) -> {
            List<Part> parts = RowParts.of(row);
            Augment.Parameters drawn = change.draw(parts, random);
            Row moved = RowParts.with(row, change.apply(parts, drawn));
            return RowParts.kept(moved, () -> change.boxes(parts, drawn));
        });
        Feed.Dice dice = draw -> kept.get(draw.index()).map(row -> {
            List<Part> parts = RowParts.of(row);
            Augment.Parameters drawn = change.draw(parts, draw.random(change.name()));
            return new Feed.JointDraw(drawn, change.boxes(parts, drawn));
        });
        return Feed.of(rows, augmented, Map.of(change.name(), dice));
    }

    private void require(Augment change, Shape shape) {
        try {
            change.apply(Tensor.ofBytes(new byte[(int) shape.elements()], shape.toArray()), new SplittableRandom(0));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "--augment %s does not go with --resize %d: %s".formatted(augment, shape.dim(0), e.getMessage()),
                    e);
        }
    }
}

package io.penstock.annotation;

import io.penstock.fault.FormatException;
import io.penstock.table.Row;
import io.penstock.tensor.Tensor;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Makes a row with pixels of one with a file.
 *
 * @param shares whether boxes are shares of the picture, and become pixels
 */
record Decoding(List<String> names, UnaryOperator<Tensor> picture, UnaryOperator<Tensor> mask, boolean shares)
        implements Function<Row, Row> {

    @Override
    public Row apply(Row row) {
        Tensor pixels = picture.apply(row.tensor(AnnotatedImages.IMAGE));
        Tensor said = row.tensor(AnnotatedImages.SIZE);
        if (said.longAt(0) > 0) {
            requireSize(pixels, said.longAt(0), said.longAt(1));
        }
        Function<String, Tensor> value = name -> switch (name) {
            case AnnotatedImages.PIXELS -> pixels;
            case AnnotatedImages.BOXES -> shares ? inPixels(row.tensor(name), pixels) : row.tensor(name);
            case AnnotatedImages.MASK -> mask(row.tensor(name), pixels);
            default -> row.tensor(name);
        };
        return new Row(names, names.stream().map(value).toList());
    }

    private static void requireSize(Tensor pixels, long height, long width) {
        if (pixels.shape().dim(0) != height || pixels.shape().dim(1) != width) {
            throw new FormatException("the picture is %s, its annotations or mask are of %d x %d pixels"
                    .formatted(pixels.type(), height, width));
        }
    }

    private Tensor mask(Tensor stored, Tensor pixels) {
        Tensor cells;
        try {
            cells = stored.shape().rank() == 1 ? mask.apply(stored) : stored;
        } catch (FormatException e) {
            throw new FormatException("its mask: " + e.getMessage(), e);
        }
        if (cells.shape().rank() != 2) {
            throw new FormatException(
                    "a mask has one number a pixel, was %s: store indices or grey".formatted(cells.type()));
        }
        requireSize(pixels, cells.shape().dim(0), cells.shape().dim(1));
        return cells;
    }

    private static Tensor inPixels(Tensor shares, Tensor pixels) {
        float[] corners = shares.toFloatArray();
        for (int i = 0; i < corners.length; i++) {
            corners[i] *= pixels.shape().dim(1 - i % 2);
        }
        return Tensor.ofFloats(corners, shares.shape().toArray());
    }
}

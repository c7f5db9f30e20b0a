package io.penstock.cli.demo;

import io.penstock.folder.LabelledFile;
import io.penstock.image.ImageDecoder;
import io.penstock.image.Resize;
import io.penstock.tensor.Tensor;
import io.penstock.vision.Boxes;
import io.penstock.vision.Mask;
import io.penstock.vision.Pixels;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A picture and its objects.
 *
 * @param mask  {@code u8[h, w]}: the number of the object that a pixel shows, from 1; 0 beside them
 * @param boxes of the objects, whose numbers are the classes
 * @param label the number of the picture's class
 */
record Scene(Pixels pixels, Mask mask, Boxes boxes, int label) {

    /** Objects of which the mask shows fewer pixels get no box. */
    private static final int LEAST = 64;

    /** Of files; without a mask there are no objects. */
    static Scene of(LabelledFile picture, @Nullable Tensor mask, ImageDecoder decoder, Resize resize) {
        Tensor pixels = decoder.decodeReduced(picture.bytes(), resize);
        long[] size = {pixels.shape().dim(0), pixels.shape().dim(1)};
        Mask objects = mask == null
                ? new Mask(Tensor.ofBytes(new byte[(int) (size[0] * size[1])], size))
                : resize.apply(new Mask(decoder.decodeStored(mask)));
        return new Scene(new Pixels(pixels), objects, around(objects), picture.label());
    }

    /** The smallest rectangles around the objects. */
    private static Boxes around(Mask mask) {
        int width = (int) mask.tensor().shape().dim(1);
        byte[] cells = mask.tensor().toByteArray();
        int[][] found = new int[1 << Byte.SIZE][];
        for (int i = 0; i < cells.length; i++) {
            int x = i % width;
            int y = i / width;
            int[] object = found[cells[i] & 255];
            if (object == null) {
                object = new int[] {x, y, x, y, 0};
                found[cells[i] & 255] = object;
            }
            object[0] = Math.min(object[0], x);
            object[2] = Math.max(object[2], x);
            object[3] = y;
            object[4]++;
        }
        List<Integer> numbers = new ArrayList<>();
        for (int number = 1; number < found.length; number++) {
            if (found[number] != null && found[number][4] >= LEAST) {
                numbers.add(number);
            }
        }
        float[] corners = new float[4 * numbers.size()];
        for (int row = 0; row < numbers.size(); row++) {
            int[] object = found[numbers.get(row)];
            corners[4 * row] = object[0];
            corners[4 * row + 1] = object[1];
            corners[4 * row + 2] = object[2] + 1;
            corners[4 * row + 3] = object[3] + 1;
        }
        return Boxes.of(corners, numbers.stream().mapToInt(Integer::intValue).toArray());
    }
}

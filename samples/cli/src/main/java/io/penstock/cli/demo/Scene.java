package io.penstock.cli.demo;

import io.penstock.tensor.DType;
import io.penstock.tensor.Tensor;
import io.penstock.vision.Boxes;
import io.penstock.vision.Mask;
import io.penstock.vision.Part;
import io.penstock.vision.Pixels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A picture and its objects.
 *
 * @param mask  {@code u8[h, w]}: the number of the object or class that a pixel shows, from 1; 0 beside them
 * @param boxes whose classes are such numbers
 */
record Scene(Pixels pixels, Mask mask, Boxes boxes) {

    /** Numbers of which a mask shows fewer pixels get no box. */
    private static final int LEAST = 64;

    private static final int NUMBERS = 255;

    /** Of the parts of a sample; a mask without boxes gets one around each of its numbers. */
    static Scene of(List<Part> parts) {
        Pixels pixels = first(parts, Pixels.class).orElseThrow();
        long[] size = {pixels.tensor().shape().dim(0), pixels.tensor().shape().dim(1)};
        Mask mask = first(parts, Mask.class)
                .map(Scene::inBytes)
                .orElseGet(() -> new Mask(Tensor.ofBytes(new byte[(int) (size[0] * size[1])], size)));
        Boxes boxes = first(parts, Boxes.class).map(Scene::numbered).orElseGet(() -> around(mask));
        return new Scene(pixels, mask, boxes);
    }

    private static <P extends Part> Optional<P> first(List<Part> parts, Class<P> kind) {
        return parts.stream().filter(kind::isInstance).map(kind::cast).findFirst();
    }

    /** The pixels first, then the mask and the boxes. */
    List<Part> parts() {
        return List.of(pixels, mask, boxes);
    }

    /** With other parts, in that order. */
    static Scene moved(List<Part> parts) {
        return new Scene((Pixels) parts.get(0), (Mask) parts.get(1), (Boxes) parts.get(2));
    }

    private static Mask inBytes(Mask mask) {
        Tensor cells = mask.tensor();
        if (cells.dtype() == DType.U8) {
            return mask;
        }
        byte[] numbers = new byte[(int) cells.shape().elements()];
        for (int i = 0; i < numbers.length; i++) {
            long number = cells.longAt(i);
            numbers[i] = (byte) (number == 0 ? 0 : 1 + Math.floorMod(number - 1, NUMBERS));
        }
        return new Mask(Tensor.ofBytes(numbers, cells.shape().toArray()));
    }

    /** Classes begin with 0, in masks with 1. */
    private static Boxes numbered(Boxes boxes) {
        int[] classes = boxes.classes().toIntArray();
        Arrays.setAll(classes, i -> classes[i] + 1);
        return new Boxes(boxes.corners(), Tensor.ofInts(classes));
    }

    /** The smallest rectangles around the numbers. */
    private static Boxes around(Mask mask) {
        int width = (int) mask.tensor().shape().dim(1);
        byte[] cells = mask.tensor().toByteArray();
        int[][] found = new int[1 + NUMBERS][];
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

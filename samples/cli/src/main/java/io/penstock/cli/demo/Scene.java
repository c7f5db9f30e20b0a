package io.penstock.cli.demo;

import io.penstock.tensor.Tensor;
import io.penstock.vision.Boxes;
import io.penstock.vision.Mask;
import io.penstock.vision.Part;
import io.penstock.vision.Pixels;
import java.awt.Rectangle;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

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

    /** Numbers up to 255 as they are. */
    private static Mask inBytes(Mask mask) {
        Tensor cells = mask.tensor();
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
        Rectangle[] found = new Rectangle[1 + NUMBERS];
        int[] counts = new int[found.length];
        for (int i = 0; i < cells.length; i++) {
            int number = cells[i] & 255;
            Rectangle cell = new Rectangle(i % width, i / width, 1, 1);
            found[number] = counts[number]++ == 0 ? cell : found[number].union(cell);
        }
        int[] numbers = IntStream.rangeClosed(1, NUMBERS)
                .filter(number -> counts[number] >= LEAST)
                .toArray();
        FloatBuffer corners = FloatBuffer.allocate(4 * numbers.length);
        for (int number : numbers) {
            Rectangle box = found[number];
            corners.put(box.x).put(box.y).put(box.x + box.width).put(box.y + box.height);
        }
        return Boxes.of(corners.array(), numbers);
    }
}

package io.penstock.cli.demo;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.augment.BoxMove;
import io.penstock.pictures.PictureWriter;
import io.penstock.tensor.Tensor;
import java.awt.Color;
import java.awt.image.BufferedImage;
import java.awt.image.DataBuffer;
import java.awt.image.IndexColorModel;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/** A scene as a page draws it: a picture, and over it the mask and boxes in one colour for each of its numbers. */
final class Drawn {

    private static final float QUALITY = 0.8f;

    /** Neighbouring numbers get colours far apart: their hues are a golden ratio of the circle from each other. */
    private static final double HUES = 0.618034;

    private static final int OVER = 0x70; // how little of the picture a mask hides

    private static final IndexColorModel COLOURS = colours();

    private Drawn() {}

    private static IndexColorModel colours() {
        int[] colours = new int[1 << Byte.SIZE];
        for (int object = 1; object < colours.length; object++) {
            colours[object] = OVER << 24 | rgb(object);
        }
        return new IndexColorModel(Byte.SIZE, colours.length, colours, 0, true, 0, DataBuffer.TYPE_BYTE);
    }

    private static int rgb(int object) {
        return Color.HSBtoRGB((float) (object * HUES % 1), 0.9f, 1) & 0xffffff;
    }

    /**
     * With {@code picture} and {@code boxes}, and {@code mask} where it shows something.
     * @param moves what became of the boxes; none where that is not known
     */
    static ObjectNode of(Scene scene, List<BoxMove> moves) {
        Tensor pixels = scene.pixels().tensor();
        int height = Math.toIntExact(pixels.shape().dim(0));
        int width = Math.toIntExact(pixels.shape().dim(1));
        BufferedImage picture = new BufferedImage(width, height, BufferedImage.TYPE_3BYTE_BGR);
        BufferedImage mask = new BufferedImage(width, height, BufferedImage.TYPE_BYTE_INDEXED, COLOURS);
        byte[] numbers = scene.mask().tensor().toByteArray();
        picture.getRaster().setDataElements(0, 0, width, height, pixels.toByteArray()); // as the bands: red first
        mask.getRaster().setDataElements(0, 0, width, height, numbers);
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("picture", address("jpeg", PictureWriter.jpeg(picture, QUALITY)))
                .put("height", height)
                .put("width", width);
        float[] corners = scene.boxes().corners().toFloatArray();
        ArrayNode boxes = node.putArray("boxes");
        for (int i = 0; i < scene.boxes().size(); i++) {
            int object = (int) scene.boxes().classes().longAt(i);
            boxes.addObject()
                    .put("object", object)
                    .put("dropped", !moves.isEmpty() && !moves.get(i).kept())
                    .put("colour", "#%06x".formatted(rgb(object)))
                    .put("x", corners[4 * i])
                    .put("y", corners[4 * i + 1])
                    .put("width", corners[4 * i + 2] - corners[4 * i])
                    .put("height", corners[4 * i + 3] - corners[4 * i + 1]);
        }
        if (!Arrays.equals(numbers, new byte[numbers.length])) {
            node.put("mask", address("png", PictureWriter.png(mask)));
        }
        return node;
    }

    private static String address(String kind, byte[] file) {
        return "data:image/%s;base64,%s".formatted(kind, Base64.getEncoder().encodeToString(file));
    }
}

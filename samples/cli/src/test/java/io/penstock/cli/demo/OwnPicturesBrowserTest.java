package io.penstock.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pictures of one's own with masks and boxes, as a person sees them on the demo's page. */
@Tag("endurance")
class OwnPicturesBrowserTest {

    private static final int PICTURES = 40;
    private static final int SIDE = LiveFeed.SIDE;

    /** How much of the mask's colour the page mixes with the picture's. */
    private static final double OVER = 0x70 / 255.0;

    /** Of each box on the page: its half of the pair, its place, and the picture's colour in its middle. */
    private static final String BOXES = """
            [...document.querySelectorAll('figure:not([hidden])')].map(figure =>
              [...figure.querySelectorAll('span')].map(place => {
                const [image, over] = place.children, canvas = document.createElement('canvas');
                canvas.width = image.naturalWidth;
                canvas.height = image.naturalHeight;
                const pen = canvas.getContext('2d', { willReadFrequently: true });
                const frame = over.getBoundingClientRect();
                pen.drawImage(image, 0, 0);
                return [...over.querySelectorAll('rect')].map(rect => {
                  const { x, y, width, height } = rect.getBBox(), middle = [x + width / 2, y + height / 2];
                  const onPage = ([right, down]) => ({
                    x: scrollX + frame.left + right * frame.width / canvas.width,
                    y: scrollY + frame.top + down * frame.height / canvas.height });
                  const edges = [[x, middle[1]], [x + width, middle[1]], [middle[0], y], [middle[0], y + height]];
                  return { x, y, width, height, stroke: rect.getAttribute('stroke'),
                    dropped: rect.classList.contains('dropped'),
                    picture: [...pen.getImageData(...middle, 1, 1).data].slice(0, 3),
                    middle: onPage(middle),
                    edges: edges.filter(([right, down]) =>
                      right > 2 && right < canvas.width - 2 && down > 2 && down < canvas.height - 2).map(onPage) };
                });
              }))""";

    @TempDir
    private Path folder;

    /** Grey pictures with a red cat from (28, 28) to (112, 112) and a blue dog from (120, 100) to (210, 200). */
    private String source() throws IOException {
        BufferedImage picture = new BufferedImage(SIDE, SIDE, BufferedImage.TYPE_3BYTE_BGR);
        Graphics2D pen = picture.createGraphics();
        pen.setColor(Color.GRAY);
        pen.fillRect(0, 0, SIDE, SIDE);
        pen.setColor(Color.RED);
        pen.fillRect(28, 28, 84, 84);
        pen.setColor(Color.BLUE);
        pen.fillRect(120, 100, 90, 100);
        pen.dispose();
        Files.createDirectories(folder.resolve("images"));
        List<String> images = new ArrayList<>();
        List<String> objects = new ArrayList<>();
        for (int i = 0; i < PICTURES; i++) {
            ImageIO.write(
                    picture, "png", folder.resolve("images/%d.png".formatted(i)).toFile());
            images.add("{\"id\": %d, \"file_name\": \"%d.png\", \"width\": %d, \"height\": %d}"
                    .formatted(i, i, SIDE, SIDE));
            objects.add("""
                    {"id": %d, "image_id": %d, "category_id": 3, "bbox": [28, 28, 84, 84],
                     "segmentation": [[28, 28, 112, 28, 112, 112, 28, 112]]},
                    {"id": %d, "image_id": %d, "category_id": 5, "bbox": [120, 100, 90, 100],
                     "segmentation": [[120, 100, 210, 100, 210, 200, 120, 200]]}""".formatted(2 * i, i, 2 * i + 1, i));
        }
        Path set = Files.writeString(
                folder.resolve("set.json"), """
                {"images": [%s], "annotations": [%s],
                 "categories": [{"id": 3, "name": "cat"}, {"id": 5, "name": "dog"}]}
                """.formatted(String.join(",", images), String.join(",", objects)));
        return "coco:%s,%s#boxes,classes,mask".formatted(set, folder.resolve("images"));
    }

    @Test
    void ownPictures_inABrowser_haveMasksAndBoxesOverTheirObjectsBeforeAndAfter() throws Exception {
        try (Browser browser = Browser.startOrSkip(folder);
                LiveSession session = new LiveSession(folder, List.of(source()), List.of())) {
            browser.size(1280, 900, false);
            browser.open(session.address());
            browser.await("document.querySelectorAll('figure:not([hidden]) svg > image').length >= 16");
            browser.evaluate("document.getElementById('pause').click()");
            session.frameWhere(state -> state.path("paused").asBoolean());
            session.settled();
            browser.evaluate(
                    "Promise.all([...document.querySelectorAll('figure :is(img, image)')].map(i => i.decode()))");

            JsonNode pairs = browser.evaluate(BOXES);
            BufferedImage page = ImageIO.read(new ByteArrayInputStream(browser.screenshot()));

            assertThat(pairs).hasSizeGreaterThanOrEqualTo(Gallery.KEPT);
            int after = 0;
            for (JsonNode pair : pairs) {
                JsonNode before = pair.path(0);
                assertThat(before).hasSize(2);
                requirePlace(before.path(0), 28, 28, 84, 84);
                requirePlace(before.path(1), 120, 100, 90, 100);
                long kept = before.findValues("dropped").stream()
                        .filter(dropped -> !dropped.asBoolean())
                        .count();
                assertThat(pair.path(1)).hasSize((int) kept);
                after += pair.path(1).size();
                for (JsonNode half : pair) {
                    half.forEach(box -> requireDrawn(box, before.path(0).path("stroke"), page));
                }
            }
            assertThat(after).isPositive();
            assertThat(browser.complaints()).isEmpty();
        }
    }

    private static void requirePlace(JsonNode box, int x, int y, int width, int height) {
        assertThat(List.of(box.path("x"), box.path("y"), box.path("width"), box.path("height")))
                .extracting(JsonNode::asInt)
                .containsExactly(x, y, width, height);
    }

    /** Over its object lie the mask and, unless it is dashed, the edges, in the colour of its class. */
    private static void requireDrawn(JsonNode box, JsonNode ofCat, BufferedImage page) {
        Color stroke = Color.decode(box.path("stroke").asText());
        JsonNode picture = box.path("picture");
        int red = picture.path(0).asInt();
        int blue = picture.path(2).asInt();
        boolean cat = box.path("stroke").equals(ofCat);
        assertThat(cat ? red - blue : blue - red).as("%s", box).isGreaterThan(80);
        Color masked = new Color(
                mixed(red, stroke.getRed()),
                mixed(picture.path(1).asInt(), stroke.getGreen()),
                mixed(blue, stroke.getBlue()));
        assertThat(distance(page, box.path("middle"), masked))
                .as("mask of %s", box)
                .isLessThan(30);
        assertThat(distance(page, box.path("middle"), stroke))
                .as("inside of %s", box)
                .isGreaterThan(120);
        for (JsonNode edge : box.path("edges")) {
            if (!box.path("dropped").asBoolean()) {
                assertThat(distance(page, edge, stroke))
                        .as("edge %s of %s", edge, box)
                        .isLessThan(100);
            }
        }
    }

    private static int mixed(int picture, int mask) {
        return (int) Math.rint((1 - OVER) * picture + OVER * mask);
    }

    /** How far the nearest colour is, of the pixels around a place; an edge lies between two of them. */
    private static double distance(BufferedImage page, JsonNode place, Color wanted) {
        double nearest = Double.MAX_VALUE;
        for (int i = 0; i < 25; i++) {
            int x = place.path("x").asInt() + i % 5 - 2;
            int y = place.path("y").asInt() + i / 5 - 2;
            Color found = new Color(page.getRGB(x, y));
            nearest = Math.min(
                    nearest,
                    Math.hypot(
                            Math.hypot(found.getRed() - wanted.getRed(), found.getGreen() - wanted.getGreen()),
                            found.getBlue() - wanted.getBlue()));
        }
        return nearest;
    }
}

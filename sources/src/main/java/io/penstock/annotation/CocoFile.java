package io.penstock.annotation;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.internal.JsonReason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads an annotation file of COCO's format, object by object: instances, key points or captions.
 *
 * @param fields that are wanted; what others need is passed over
 * @see <a href="https://cocodataset.org/#format-data">COCO's data format</a>
 */
record CocoFile(Annotations.Builder found, List<String> fields) {

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS) // Python writes them; boxes refuse them
            .build();

    private static final double[] CAPTIONED = {0, 0, 1, 1}; // any box that is one

    private boolean captions() {
        return fields.contains(AnnotatedImages.CAPTIONS);
    }

    /** Reads a file. Blocks. */
    static Annotations read(InputStream in, String file, List<String> fields) {
        Annotations.Builder found = new Annotations.Builder(file, id -> "annotation " + id);
        try (JsonParser json = JSON.createParser(in)) {
            new CocoFile(found, fields).read(json);
            return found.build();
        } catch (JsonProcessingException e) {
            String why = JsonReason.of(e.getOriginalMessage());
            int line = e.getLocation().getLineNr();
            throw new FormatException("%s is no JSON, or is cut off: %s (line %d)".formatted(file, why, line), e);
        } catch (IOException e) {
            throw new StoreException("cannot read " + file, e);
        }
    }

    private void read(JsonParser json) throws IOException {
        if (json.nextToken() != JsonToken.START_OBJECT) {
            throw found.broken("is not a JSON object");
        }
        boolean annotated = false;
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String part = json.currentName();
            boolean array = json.nextToken() == JsonToken.START_ARRAY;
            if (!array || !List.of("images", "annotations", "categories").contains(part)) {
                json.skipChildren();
                continue;
            }
            annotated |= part.equals("annotations");
            for (int number = 0; json.nextToken() != JsonToken.END_ARRAY; number++) {
                JsonNode object = json.readValueAsTree();
                try {
                    take(part, object);
                } catch (FormatException e) {
                    throw found.broken("%s %d: %s", part, number, String.valueOf(e.getMessage()));
                }
            }
        }
        if (!annotated) {
            throw found.broken("has no \"annotations\": is it of COCO's format?");
        }
    }

    private void take(String part, JsonNode object) {
        if (part.equals("annotations")) {
            annotation(whole(object, "id"), whole(object, "image_id"), object);
        } else if (part.equals("images")) {
            found.image(whole(object, "id"), text(object, "file_name"), side(object, "height"), side(object, "width"));
        } else if (!captions()) {
            found.category(whole(object, "id"), text(object, "name"));
        }
    }

    private static long whole(JsonNode object, String field) {
        JsonNode value = object.path(field);
        require(value.isIntegralNumber() && value.canConvertToLong(), field, value, "no whole number");
        return value.longValue();
    }

    private static String text(JsonNode object, String field) {
        JsonNode value = object.path(field);
        require(value.isTextual(), field, value, "no text");
        return value.textValue();
    }

    private static void require(boolean right, String field, JsonNode value, String what) {
        if (!right) {
            throw new FormatException(
                    value.isMissingNode() ? "no " + field : "%s %s, which is %s".formatted(field, value, what));
        }
    }

    private static int side(JsonNode image, String field) {
        long side = whole(image, field);
        if (side < 1 || side > AnnotatedImages.MAX_SIDE) {
            throw new FormatException("%s is %d".formatted(field, side));
        }
        return (int) side;
    }

    private void annotation(long id, long image, JsonNode object) {
        boolean crowd = object.path("iscrowd").asInt() != 0;
        if (captions() || !crowd || fields.contains(AnnotatedImages.CROWD)) {
            try {
                found.add(one(id, image, crowd, object));
            } catch (FormatException e) {
                found.fault(image, "annotation %d has %s".formatted(id, e.getMessage()));
            }
        }
    }

    private Annotations.One one(long id, long image, boolean crowd, JsonNode object) {
        if (captions()) {
            byte[] text = text(object, "caption").getBytes(StandardCharsets.UTF_8);
            return new Annotations.One(id, image, Annotations.NO_CATEGORY, false, CAPTIONED, new float[0], text);
        }
        double[] box = numbers(object.path("bbox"));
        if (box == null || box.length != 4) {
            throw new FormatException("no bbox of four numbers");
        }
        double[] corners = {box[0], box[1], box[0] + box[2], box[1] + box[3]};
        float[] points = fields.contains(AnnotatedImages.KEYPOINTS) ? points(object) : new float[0];
        byte[] segment = fields.contains(AnnotatedImages.MASK) ? segment(object.path("segmentation")) : new byte[0];
        return new Annotations.One(id, image, whole(object, "category_id"), crowd, corners, points, segment);
    }

    /** An array of numbers; null where it is something else. */
    private static double @Nullable [] numbers(JsonNode array) {
        double[] values = new double[array.size()];
        for (int i = 0; i < values.length; i++) {
            JsonNode value = array.path(i);
            if (!value.isNumber()) {
                return null;
            }
            values[i] = value.doubleValue();
        }
        return array.isArray() ? values : null;
    }

    private static float[] points(JsonNode object) {
        double[] values = numbers(object.path("keypoints"));
        if (values == null || values.length % 3 != 0 || !Arrays.stream(values).allMatch(Double::isFinite)) {
            throw new FormatException("key points that are no x, y and visibility each");
        }
        float[] points = new float[values.length];
        IntStream.range(0, points.length).forEach(i -> points[i] = (float) values[i]);
        return points;
    }

    private static byte[] segment(JsonNode of) {
        JsonNode counts = of.path("counts");
        double[] size = numbers(of.path("size"));
        double[] plain = numbers(counts);
        if (of.isObject() && size != null && size.length == 2 && (plain != null || counts.isTextual())) {
            int[] lengths = plain == null ? CocoSegments.unpack(counts.asText()) : whole(plain);
            int[] sides = whole(size);
            return CocoSegments.runs(sides[0], sides[1], lengths);
        }
        if (!of.isArray()) {
            throw new FormatException("a segmentation that is neither polygons nor run lengths");
        }
        List<double[]> rings = new ArrayList<>();
        for (JsonNode polygon : of) {
            double[] ring = numbers(polygon);
            if (ring == null) {
                throw new FormatException("a polygon that is no numbers");
            }
            rings.add(ring);
        }
        return CocoSegments.polygons(rings);
    }

    private static int[] whole(double[] values) {
        if (!Arrays.stream(values).allMatch(value -> value == (int) value)) {
            throw new FormatException("run lengths that are no whole numbers");
        }
        return Arrays.stream(values).mapToInt(value -> (int) value).toArray();
    }
}

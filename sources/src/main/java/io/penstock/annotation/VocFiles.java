package io.penstock.annotation;

import io.penstock.fault.FormatException;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** Reads an annotation file of Pascal VOC: the size of an image, and its objects. */
final class VocFiles {

    private static final String OBJECT = "annotation/object";
    private static final List<String> EDGES = List.of("xmin", "ymin", "xmax", "ymax");

    private VocFiles() {}

    /** One object: its class, and x1, y1, x2, y2. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Thing(String name, double[] box) {}

    /**
     * An image.
     *
     * @param height 0, as the width, where boxes are shares of the image
     * @param fault  what is wrong with it; empty for nothing
     */
    record Scene(int height, int width, List<Thing> things, String fault) {
        static Scene broken(String fault) {
            return new Scene(0, 0, List.of(), fault);
        }
    }

    /** @throws FormatException if it is no such file */
    static Scene read(byte[] text) {
        XMLInputFactory factory = XMLInputFactory.newInstance();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        try {
            return read(factory.createXMLStreamReader(new ByteArrayInputStream(text)));
        } catch (XMLStreamException e) {
            throw new FormatException(
                    "it is no XML: " + String.valueOf(e.getMessage()).replace('\n', ' '), e);
        }
    }

    private static Scene read(XMLStreamReader xml) throws XMLStreamException {
        List<Thing> things = new ArrayList<>();
        List<String> path = new ArrayList<>();
        Map<String, String> texts = new HashMap<>(); // of what has ended, by its path: parts of persons have names too
        StringBuilder text = new StringBuilder();
        while (xml.hasNext()) {
            int event = xml.next();
            if (event == XMLStreamConstants.START_ELEMENT) {
                path.add(xml.getLocalName());
                text.setLength(0);
            } else if (event == XMLStreamConstants.CHARACTERS) {
                text.append(xml.getText());
            } else if (event == XMLStreamConstants.END_ELEMENT) {
                String at = String.join("/", path);
                path.remove(path.size() - 1);
                texts.put(at, text.toString().strip());
                if (at.equals(OBJECT)) {
                    things.add(thing(things.size(), texts));
                    texts.keySet().removeIf(ended -> ended.startsWith(OBJECT));
                }
            }
        }
        double height = number(texts.getOrDefault("annotation/size/height", "0"));
        double width = number(texts.getOrDefault("annotation/size/width", "0"));
        if (!(Math.min(height, width) >= 1 && Math.max(height, width) <= AnnotatedImages.MAX_SIDE)) {
            throw new FormatException("it has a size of %s x %s".formatted(height, width));
        }
        return new Scene((int) height, (int) width, things, "");
    }

    private static Thing thing(int number, Map<String, String> texts) {
        String name = texts.getOrDefault(OBJECT + "/name", "");
        if (name.isEmpty()) {
            throw new FormatException("object %d has no name".formatted(number));
        }
        double[] box = EDGES.stream()
                .mapToDouble(edge -> number(texts.getOrDefault(OBJECT + "/bndbox/" + edge, "")))
                .toArray();
        return new Thing(name, box);
    }

    /** Of what is no number NaN, which no box may have. */
    static double number(String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }
}

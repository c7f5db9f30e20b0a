package io.penstock.annotation;

import io.penstock.fault.FormatException;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.List;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** Reads an annotation file of Pascal VOC: the size of an image, and its objects. */
final class VocFiles {

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
        double[] size = {0, 0};
        String name = "";
        double[] box = noBox();
        StringBuilder text = new StringBuilder();
        while (xml.hasNext()) {
            int event = xml.next();
            if (event == XMLStreamConstants.START_ELEMENT) {
                path.add(xml.getLocalName());
                text.setLength(0);
            } else if (event == XMLStreamConstants.CHARACTERS) {
                text.append(xml.getText());
            } else if (event == XMLStreamConstants.END_ELEMENT) {
                String at = String.join("/", path); // parts of persons have names and boxes too
                String value = text.toString().strip();
                String last = path.remove(path.size() - 1);
                if (at.equals("annotation/size/height") || at.equals("annotation/size/width")) {
                    size[last.equals("height") ? 0 : 1] = number(value);
                } else if (at.equals("annotation/object/name")) {
                    name = value;
                } else if (at.equals("annotation/object/bndbox/" + last) && EDGES.contains(last)) {
                    box[EDGES.indexOf(last)] = number(value);
                } else if (at.equals("annotation/object")) {
                    if (name.isEmpty()) {
                        throw new FormatException("object %d has no name".formatted(things.size()));
                    }
                    things.add(new Thing(name, box));
                    name = "";
                    box = noBox();
                }
            }
        }
        if (!(Math.min(size[0], size[1]) >= 1 && Math.max(size[0], size[1]) <= AnnotatedImages.MAX_SIDE)) {
            throw new FormatException("it has a size of %s x %s".formatted(size[0], size[1]));
        }
        return new Scene((int) size[0], (int) size[1], things, "");
    }

    private static double[] noBox() {
        return new double[] {Double.NaN, Double.NaN, Double.NaN, Double.NaN};
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

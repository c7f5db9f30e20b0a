package io.penstock.store.s3;

import io.penstock.fault.StoreException;
import java.io.ByteArrayInputStream;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;

/**
 * One answer of ListObjectsV2.
 *
 * @param objects  in the order of their keys
 * @param prefixes that keys have in common up to the next slash, where these were asked for
 * @param next     the token of the next page; null behind the last one
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html">ListObjectsV2</a>
 */
record ListPage(
        List<Listed> objects,
        List<String> prefixes,
        @Nullable String next) {

    /** An object as it is listed, its entity tag with its quotes. */
    record Listed(String key, long size, String etag) {}

    private static final XMLInputFactory XML = factory();

    private static XMLInputFactory factory() {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLInputFactory.IS_COALESCING, true);
        return factory;
    }

    /** @throws StoreException if it is no such answer */
    static ListPage parse(String where, ByteBuffer bytes) {
        try {
            return read(
                    where,
                    XML.createXMLStreamReader(new ByteArrayInputStream(
                            bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining())));
        } catch (XMLStreamException | IllegalArgumentException e) {
            throw new StoreException(
                    "cannot list %s: the answer is no page of a list; check the endpoint".formatted(where), e);
        }
    }

    private static ListPage read(String where, XMLStreamReader xml) throws XMLStreamException {
        List<Listed> objects = new ArrayList<>();
        List<String> prefixes = new ArrayList<>();
        String next = null;
        boolean truncated = false;
        boolean isList = false;
        while (xml.hasNext()) {
            if (xml.next() != XMLStreamConstants.START_ELEMENT) {
                continue;
            }
            switch (xml.getLocalName()) {
                case "ListBucketResult" -> isList = true;
                case "Contents" -> objects.add(listed(xml));
                case "CommonPrefixes" -> {
                    xml.nextTag();
                    prefixes.add(decoded(xml.getElementText()));
                }
                case "IsTruncated" ->
                    truncated = Boolean.parseBoolean(xml.getElementText().strip());
                case "NextContinuationToken" -> next = xml.getElementText();
                default -> {}
            }
        }
        if (!isList || truncated && next == null) {
            throw new StoreException("cannot list %s: the answer is %s; check the endpoint"
                    .formatted(where, isList ? "cut, without a token for its rest" : "no page of a list"));
        }
        return new ListPage(objects, prefixes, truncated ? next : null);
    }

    private static Listed listed(XMLStreamReader xml) throws XMLStreamException {
        String key = "";
        String etag = "";
        long size = 0;
        int event;
        while ((event = xml.next()) != XMLStreamConstants.END_ELEMENT
                || !xml.getLocalName().equals("Contents")) {
            if (event == XMLStreamConstants.START_ELEMENT) {
                switch (xml.getLocalName()) {
                    case "Key" -> key = decoded(xml.getElementText());
                    case "Size" -> size = Long.parseLong(xml.getElementText().strip());
                    case "ETag" -> etag = xml.getElementText();
                    default -> {}
                }
            }
        }
        return new Listed(key, size, etag);
    }

    /** Keys are asked for with escapes, since XML has no form for some characters. */
    private static String decoded(String text) {
        return text.indexOf('%') < 0 && text.indexOf('+') < 0 ? text : URLDecoder.decode(text, StandardCharsets.UTF_8);
    }
}

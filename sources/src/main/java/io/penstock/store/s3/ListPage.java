package io.penstock.store.s3;

import io.penstock.fault.StoreException;
import java.io.ByteArrayInputStream;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
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

    private static final char NO_CHARACTER = '\uFFFD';
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
        } catch (XMLStreamException e) {
            throw new StoreException(
                    "cannot list %s: the answer is no page of a list; check the endpoint".formatted(where), e);
        }
    }

    private static ListPage read(String where, XMLStreamReader xml) throws XMLStreamException {
        List<Listed> objects = new ArrayList<>();
        List<String> prefixes = new ArrayList<>();
        String next = "";
        String truncated = "";
        boolean isList = false;
        boolean isEncoded = false;
        while (xml.hasNext()) {
            if (xml.next() != XMLStreamConstants.START_ELEMENT) {
                continue;
            }
            switch (xml.getLocalName()) {
                case "ListBucketResult" -> isList = true;
                case "Contents" -> objects.add(listed(where, xml));
                case "CommonPrefixes" -> {
                    xml.nextTag();
                    prefixes.add(xml.getElementText());
                }
                case "EncodingType" -> isEncoded = xml.getElementText().strip().equals("url");
                case "IsTruncated" -> truncated = xml.getElementText().strip().toLowerCase(Locale.ROOT);
                case "NextContinuationToken" -> next = xml.getElementText();
                default -> {}
            }
        }
        boolean isCut = truncated.equals("true");
        if (!isList || isCut && next.isEmpty()) {
            throw refused(where, isList ? "cut, without a token for its rest" : "no page of a list");
        }
        if (!isCut && !truncated.equals("false")) {
            throw refused(where, "a page that does not say whether there are more: it has no IsTruncated");
        }
        ListPage page = new ListPage(objects, prefixes, isCut ? next : null);
        return isEncoded ? page.decoded(where) : page;
    }

    private static StoreException refused(String where, String what) {
        return new StoreException("cannot list %s: the answer is %s; check the endpoint".formatted(where, what));
    }

    private static Listed listed(String where, XMLStreamReader xml) throws XMLStreamException {
        String key = "";
        String etag = "";
        String size = "";
        int event;
        while ((event = xml.next()) != XMLStreamConstants.END_ELEMENT
                || !xml.getLocalName().equals("Contents")) {
            if (event == XMLStreamConstants.START_ELEMENT) {
                switch (xml.getLocalName()) {
                    case "Key" -> key = xml.getElementText();
                    case "Size" -> size = xml.getElementText().strip();
                    case "ETag" -> etag = xml.getElementText();
                    default -> {}
                }
            }
        }
        if (key.isEmpty() || !size.matches("\\d{1,18}")) {
            throw refused(
                    where,
                    key.isEmpty() ? "a page with an object without a key" : "size \"%s\" for %s".formatted(size, key));
        }
        return new Listed(key, Long.parseLong(size), etag);
    }

    /** Keys are asked for with escapes, since XML has no form for some characters; not every server knows how. */
    private ListPage decoded(String where) {
        return new ListPage(
                objects.stream()
                        .map(each -> new Listed(decoded(where, each.key), each.size, each.etag))
                        .toList(),
                prefixes.stream().map(each -> decoded(where, each)).toList(),
                next);
    }

    private static String decoded(String where, String text) {
        if (text.indexOf('%') < 0 && text.indexOf('+') < 0) {
            return text;
        }
        String key;
        try {
            key = URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw refused(where, "a page whose key has no whole escape: " + text);
        }
        if (key.indexOf(NO_CHARACTER) >= 0 && !text.toUpperCase(Locale.ROOT).contains("%EF%BF%BD")) {
            throw refused(where, "a page with a key that is not UTF-8: " + text);
        }
        return key;
    }

    /** The same page if all of it lies below a prefix, and directly there if folders were asked for. */
    ListPage requireBelow(String where, String prefix, boolean folders) {
        for (Listed object : objects) {
            String key = object.key;
            if (!key.startsWith(prefix)) {
                throw refused(where, "a page with a key outside the prefix \"%s\": %s".formatted(prefix, key));
            }
            if (folders && key.indexOf('/', prefix.length()) >= 0) {
                throw refused(where, "a page of folders with a key within a folder: " + key);
            }
        }
        Set<String> seen = new HashSet<>();
        for (String folder : prefixes) {
            if (!folder.startsWith(prefix) || folder.length() == prefix.length() || !seen.add(folder)) {
                throw refused(where, "a page with no folder below \"%s\", or one twice: %s".formatted(prefix, folder));
            }
        }
        return this;
    }
}

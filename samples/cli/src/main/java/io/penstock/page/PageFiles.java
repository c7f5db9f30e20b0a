package io.penstock.page;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The files of the page, which come with the program and are all that a browser needs. */
final class PageFiles {

    /** One of them. */
    static final class PageFile {
        private final String type;
        private final byte[] bytes;

        private PageFile(String type, byte[] bytes) {
            this.type = type;
            this.bytes = bytes;
        }

        /** As the {@code Content-Type} header says it. */
        String type() {
            return type;
        }

        void writeTo(OutputStream out) throws IOException {
            out.write(bytes);
        }

        int length() {
            return bytes.length;
        }
    }

    private final Map<String, PageFile> byPath = Map.of(
            "/", read("index.html", "text/html; charset=utf-8"),
            "/page.css", read("page.css", "text/css; charset=utf-8"),
            "/page.js", read("page.js", "text/javascript; charset=utf-8"));

    /** What lies at a path, or null. */
    @Nullable PageFile at(String path) {
        return byPath.get(path);
    }

    private static PageFile read(String name, String type) {
        try (InputStream in = PageFiles.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("the program lacks its file " + name);
            }
            return new PageFile(type, in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the program's file " + name, e);
        }
    }
}

package io.penstock.page;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The files of a page, which come with the program and are all that a browser needs. */
final class PageFiles {

    private static final String SCRIPT = "text/javascript; charset=utf-8";

    /**
     * A file.
     *
     * @param type as the {@code Content-Type} header says it
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record PageFile(String type, byte[] bytes) {}

    private final Map<String, PageFile> byPath;

    /** @param name of the page, which has markup and a script of its own; the rest is common to all */
    PageFiles(String name) {
        this.byPath = Map.of(
                "/",
                read(name + ".html", "text/html; charset=utf-8"),
                "/page.css",
                read("page.css", "text/css; charset=utf-8"),
                "/page.js",
                read("page.js", SCRIPT),
                "/" + name + ".js",
                read(name + ".js", SCRIPT));
    }

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

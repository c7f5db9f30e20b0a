package io.penstock.write;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;

/** What another reader finds in an archive. */
final class TarContents {

    private TarContents() {}

    static Map<String, byte[]> of(Path file) throws IOException {
        Map<String, byte[]> contents = new LinkedHashMap<>();
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file));
                TarArchiveInputStream tar = new TarArchiveInputStream(in)) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                contents.put(entry.getName(), tar.readAllBytes());
            }
        }
        return contents;
    }
}

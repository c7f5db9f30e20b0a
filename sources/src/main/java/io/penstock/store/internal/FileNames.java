package io.penstock.store.internal;

import io.penstock.fault.StoreException;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;

/**
 * File names as text that is the same on every machine: their bytes read as UTF-8, in every locale.
 *
 * <p>Java decodes file names by the locale. Under {@code LANG=C}, which is what containers start with, {@code ü}
 * becomes a replacement character and {@code Path.of("ü")} throws. A {@code Path} holds the raw bytes all the same, and
 * its URI has them. Names that the locale may have changed are read from the URI; plain names are not.
 */
public final class FileNames {

    private static final boolean LOCALE_IS_UNICODE = localeIsUnicode();
    private static final String UNESCAPED = "/0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    private static final char REPLACEMENT = '\uFFFD';

    /** Byte by byte in UTF-8: the same order on every machine. */
    public static final Comparator<String> BY_BYTES =
            Comparator.comparing(name -> name.getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned);

    private FileNames() {}

    private static boolean localeIsUnicode() {
        try {
            return Path.of("ü字").toString().equals("ü字");
        } catch (InvalidPathException e) {
            return false;
        }
    }

    /** The last part of a path. */
    public static String of(Path path) {
        Path last = path.getFileName();
        String name = last == null ? "" : last.toString();
        boolean sound = LOCALE_IS_UNICODE ? name.indexOf(REPLACEMENT) < 0 : isAscii(name);
        return sound ? name : fromBytes(path);
    }

    /** The key of a file that lies below a folder. */
    public static String key(Path root, Path file) {
        StringBuilder key = new StringBuilder(of(file));
        for (Path above = file.getParent(); above != null && !above.equals(root); above = above.getParent()) {
            key.insert(0, '/').insert(0, of(above));
        }
        return key.toString();
    }

    /** All parts of an absolute path. */
    public static String ofAll(Path path) {
        Path above = path.getParent();
        if (above == null) {
            return path.toString();
        }
        String prefix = ofAll(above);
        return prefix.endsWith(path.getFileSystem().getSeparator())
                ? prefix + of(path)
                : prefix + path.getFileSystem().getSeparator() + of(path);
    }

    private static String fromBytes(Path path) {
        String raw = path.toUri().getRawPath();
        int end = raw.endsWith("/") ? raw.length() - 1 : raw.length();
        String encoded = raw.substring(raw.lastIndexOf('/', end - 1) + 1, end);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(encoded.length());
        for (int i = 0; i < encoded.length(); i++) {
            if (encoded.charAt(i) == '%') {
                bytes.write(HexFormat.fromHexDigits(encoded, i + 1, i + 3));
                i += 2;
            } else {
                bytes.write(encoded.charAt(i));
            }
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes.toByteArray()))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new StoreException("file name is not UTF-8: %s; rename it".formatted(path.toUri()), e);
        }
    }

    /**
     * The file of a key under a folder.
     * @throws StoreException if the key is not a relative path that goes down only
     */
    public static Path resolve(Path root, String key) {
        requireWithin(root, key);
        if (LOCALE_IS_UNICODE || isAscii(key)) {
            return root.resolve(key);
        }
        StringBuilder uri = new StringBuilder(root.toUri().toString());
        for (byte b : key.getBytes(StandardCharsets.UTF_8)) {
            if (UNESCAPED.indexOf(b) >= 0) {
                uri.append((char) b);
            } else {
                HexFormat.of().withUpperCase().toHexDigits(uri.append('%'), b);
            }
        }
        return Path.of(URI.create(uri.toString()));
    }

    private static void requireWithin(Path root, String key) {
        int start = 0;
        for (int end = 0; end <= key.length(); end++) {
            if (end == key.length() || key.charAt(end) == '/') {
                if (end == start || isDots(key, start, end)) {
                    throw outside(root, key);
                }
                start = end + 1;
            } else if (key.charAt(end) == 0) {
                throw outside(root, key);
            }
        }
    }

    private static boolean isDots(String key, int start, int end) {
        return end - start <= 2 && key.charAt(start) == '.' && key.charAt(end - 1) == '.';
    }

    public static StoreException outside(Path root, String key) {
        return new StoreException(
                "key must name a file below %s, without \"..\" or links that lead out: \"%s\"".formatted(root, key));
    }

    private static boolean isAscii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 0x80) {
                return false;
            }
        }
        return true;
    }
}

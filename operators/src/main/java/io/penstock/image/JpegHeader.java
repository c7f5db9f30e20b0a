package io.penstock.image;

import io.penstock.fault.FormatException;
import io.penstock.image.JpegLayout.Colours;
import java.nio.ByteBuffer;

/**
 * Walks the segments of a JPEG up to its first scan, then checks that it has an end marker.
 *
 * <p>The meaning of the components follows libjpeg, so that decoders agree: the JFIF segment decides, then Adobe's,
 * then the names of the components.
 *
 * @see <a href="https://www.w3.org/Graphics/JPEG/itu-t81.pdf">ITU-T T.81, annex B</a>
 */
final class JpegHeader {

    static final int SOI = 0xD8;
    static final int EOI = 0xD9;
    static final int SOS = 0xDA;
    static final int APP0 = 0xE0;
    static final int APP1 = 0xE1;
    static final int APP14 = 0xEE;
    static final int APP15 = 0xEF;
    static final int COM = 0xFE;
    private static final int MAX_SCANS = 100;

    private final ByteBuffer bytes;
    private final int limit;
    private int at = 2;
    private int start = -1; // where the frame header begins
    private int frame; // the marker of the frame header
    private boolean jfif;
    private int adobe = -1;
    private int orientation = 1;

    private JpegHeader(ByteBuffer bytes) {
        this.bytes = bytes;
        this.limit = bytes.limit();
    }

    static Header read(ByteBuffer bytes) {
        return new JpegHeader(bytes).read();
    }

    private Header read() {
        while (true) {
            int marker = nextMarker(bytes, at);
            if (marker < 0) {
                throw truncated("no scan");
            }
            at = marker;
            int code = bytes.get(marker + 1) & 0xFF;
            if (code == EOI) {
                throw new FormatException("JPEG without a picture: it ends at byte " + marker);
            }
            if (isBare(code)) {
                at += 2;
                continue;
            }
            int length = limit - at < 4 ? Integer.MAX_VALUE : unsignedShort(at + 2);
            if (length < 2) {
                throw new FormatException(
                        "broken JPEG: segment FF%02X at byte %d says it has %d bytes".formatted(code, at, length));
            }
            if (length > limit - at - 2) {
                throw truncated("segment FF%02X at byte %d reaches over the end".formatted(code, at));
            }
            visit(code, at + 4, length - 2);
            at += 2 + length;
            if (code == SOS) {
                return header();
            }
        }
    }

    /** The position of the next marker, or -1. Skips padding and stray bytes before it, as libjpeg does. */
    static int nextMarker(ByteBuffer bytes, int from) {
        for (int i = from; i < bytes.limit() - 1; i++) {
            if (bytes.get(i) == (byte) 0xFF && bytes.get(i + 1) != 0 && bytes.get(i + 1) != (byte) 0xFF) {
                return i;
            }
        }
        return -1;
    }

    /** Whether a marker has no segment. */
    static boolean isBare(int code) {
        return code >= 0xD0 && code <= SOI || code == 0x01;
    }

    private void visit(int code, int from, int length) {
        if (code >= 0xC0 && code <= 0xCF && code != 0xC4 && code != 0xC8 && code != 0xCC) {
            if (start >= 0) {
                throw new FormatException("broken JPEG: a second frame begins at byte " + (from - 4));
            }
            start = from;
            frame = code;
            if (length < 6 || length < 6 + 3 * (bytes.get(from + 5) & 0xFF)) {
                throw new FormatException("broken JPEG: the frame header at byte %d is too short".formatted(from - 4));
            }
        } else if (code == APP0 && length >= 5 && bytes.getInt(from) == 0x4A464946 && bytes.get(from + 4) == 0) {
            jfif = true;
        } else if (code == APP1 && length >= 6 && bytes.getInt(from) == 0x45786966 && bytes.get(from + 4) == 0) {
            orientation = Orientation.read(bytes.slice(from + 6, length - 6));
        } else if (code == APP14 && length >= 12 && bytes.getInt(from) == 0x41646F62 && bytes.get(from + 4) == 'e') {
            adobe = bytes.get(from + 11) & 0xFF;
        }
    }

    private Header header() {
        if (start < 0) {
            throw new FormatException("broken JPEG: a scan before the frame header, at byte " + at);
        }
        int bits = bytes.get(start) & 0xFF;
        int components = bytes.get(start + 5) & 0xFF;
        boolean known = frame <= 0xC2 || frame == 0xC9 || frame == 0xCA;
        if (!known || bits != 8) {
            String kind = (frame & 3) == 3 ? "lossless" : known ? "deep" : "hierarchical";
            throw new FormatException(
                    "%s JPEG is not supported: SOF%d with %d bits a sample; convert it to 8-bit baseline"
                            .formatted(kind, frame - 0xC0, bits));
        }
        if (components != 1 && components != 3 && components != 4) {
            throw new FormatException(
                    "a JPEG of %d components is not supported; it must have 1, 3 or 4".formatted(components));
        }
        Size size = new Size(unsignedShort(start + 1), unsignedShort(start + 3));
        int mcu = mcuPixels(components);
        checkEnd();
        JpegLayout layout = new JpegLayout(colours(components), mcu, frame >= 0xC9);
        return new Header(Header.Format.JPEG, size, orientation, layout);
    }

    private int mcuPixels(int components) {
        int across = 1;
        int down = 1;
        for (int i = 0; i < components; i++) {
            int factors = bytes.get(start + 7 + 3 * i) & 0xFF;
            int horizontal = factors >> 4;
            int vertical = factors & 0xF;
            if (horizontal < 1 || horizontal > 4 || vertical < 1 || vertical > 4) {
                throw new FormatException(
                        "broken JPEG: component %d has sampling factors %d x %d".formatted(i, horizontal, vertical));
            }
            across = Math.max(across, horizontal);
            down = Math.max(down, vertical);
        }
        return across * down * 64;
    }

    private Colours colours(int components) {
        if (components == 1) {
            return Colours.GREY;
        }
        if (components == 4) {
            return adobe > 0 ? Colours.YCCK : Colours.CMYK;
        }
        if (jfif || adobe > 0) {
            return Colours.YCC;
        }
        boolean named = bytes.get(start + 6) == 'R' && bytes.get(start + 9) == 'G' && bytes.get(start + 12) == 'B';
        return adobe == 0 || named ? Colours.RGB : Colours.YCC;
    }

    /**
     * Refuses a truncated file, as Pillow does; decoders would fill the missing part with grey. Damage inside a scan
     * that leaves the end marker is not found, neither here nor by Pillow.
     */
    private void checkEnd() {
        boolean ended = bytes.get(limit - 2) == (byte) 0xFF && bytes.get(limit - 1) == (byte) EOI;
        boolean progressive = frame == 0xC2 || frame == 0xCA;
        if (ended && !progressive) {
            return;
        }
        int scans = 1;
        while (true) {
            int marker = nextMarker(bytes, at);
            if (marker < 0) {
                throw truncated("no end marker");
            }
            int code = bytes.get(marker + 1) & 0xFF;
            if (code == EOI) {
                return;
            }
            at = marker + 2;
            if (!isBare(code)) {
                if (limit - at < 2 || unsignedShort(at) > limit - at) {
                    throw truncated("segment FF%02X at byte %d reaches over the end".formatted(code, marker));
                }
                at += unsignedShort(at);
            }
            // each scan of a progressive image covers all its pixels and may take only a few bytes
            if (code == SOS && ++scans > MAX_SCANS) {
                throw new FormatException("JPEG has more than " + MAX_SCANS + " scans");
            }
        }
    }

    private FormatException truncated(String why) {
        return new FormatException("truncated JPEG: %s in %d bytes".formatted(why, limit));
    }

    private int unsignedShort(int index) {
        return bytes.getShort(index) & 0xFFFF;
    }
}

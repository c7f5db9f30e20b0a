package io.penstock.shard;

import io.penstock.fault.FormatException;
import io.penstock.internal.Notice;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Goes from header to header of an archive and leaves the members' bytes alone.
 *
 * <p>Every number is checked before it is used: sizes against the archive's end, extended headers against {@value
 * #LARGEST_HEADER} bytes. Blocks of zeros are passed over, as {@code tar -i} does: behind the end mark of an archive
 * another one may follow, since {@code cat a.tar b.tar} makes one file of both. The remains of a record, which old
 * writers do not clear, are left out, and, with a warning, less than a block. All else that follows and is no archive
 * may be one that is damaged, and is refused.
 */
final class TarScan {

    /** The limit of GNU tar and bsdtar; the longest paths are a few thousand bytes. */
    private static final int LARGEST_HEADER = 1 << 20;

    private static final int BLOCK = TarHeader.BLOCK;
    private static final int RECORD = 20 * BLOCK;
    private static final Logger LOG = LoggerFactory.getLogger(TarScan.class);

    private final TarBytes bytes;
    private final String archive;
    private PaxRecords global = PaxRecords.NONE;
    private long next;
    private boolean found;

    /** @param archive what errors call it */
    TarScan(TarBytes bytes, String archive) {
        this.bytes = bytes;
        this.archive = archive;
    }

    /**
     * The next member, or {@code null} at the end.
     * @throws FormatException if what is there is no header, the archive ends too early, or its member cannot be read
     */
    @Nullable TarMember next() {
        PaxRecords pax = null;
        String longName = null;
        while (true) {
            TarHeader header = header(pax != null || longName != null);
            if (header == null) {
                if (pax != null || longName != null) {
                    throw broken("ends after an extended header, which describes no member");
                }
                return null;
            }
            long data = next + BLOCK;
            switch (header.type()) {
                case 'L' -> longName = TarHeader.text(extended(header, data), 0, (int) header.size());
                case 'K' -> extended(header, data); // a long target of a link, which is not followed
                case 'x', 'X' -> pax = global.with(extended(header, data), this::broken);
                case 'g' -> global = global.with(extended(header, data), this::broken);
                default -> {
                    return member(header, data, longName, pax == null ? global : pax);
                }
            }
        }
    }

    /** @param isExtended whether the last one was extended, so that it describes a member of the same archive */
    private @Nullable TarHeader header(boolean isExtended) {
        if (next == bytes.size() && next > 0) {
            return null;
        }
        byte[] block = bytes.at(next, BLOCK);
        if (next > bytes.size()) {
            throw broken("is cut off after the bytes of its last member, at byte %d".formatted(bytes.size()));
        }
        if (block.length < BLOCK) {
            throw broken(
                    next == 0
                            ? "is no tar archive, or is cut off: has %d bytes".formatted(block.length)
                            : "ends in the middle of a header: %d bytes are left".formatted(block.length));
        }
        TarHeader header = new TarHeader(block);
        if (header.isZero()) {
            return isExtended ? null : behindZeros(passZeros(next + BLOCK));
        }
        if (!header.sumsUp()) {
            throw broken(
                    next == 0
                            ? "is no tar archive: starts with %02X %02X %02X %02X%s"
                                    .formatted(block[0], block[1], block[2], block[3], packed(block))
                            : "has no header where the last member ends: its checksum is wrong");
        }
        if (header.size() == TarNumber.BAD) {
            throw broken("has a member whose size is no number, negative or beyond 2^63");
        }
        return header;
    }

    /** The first header of an archive that follows at this place; null if none does. */
    private @Nullable TarHeader behindZeros(long at) {
        if (at == bytes.size() || isOfRecordBefore(at)) {
            return null;
        }
        byte[] block = bytes.at(at, BLOCK);
        if (block.length < BLOCK) {
            Notice.warn(LOG, "{} has {} bytes behind its end mark that are no archive", archive, block.length);
            return null;
        }
        next = at;
        TarHeader header = new TarHeader(block);
        if (!header.sumsUp() || header.size() == TarNumber.BAD) {
            throw broken("has %d bytes behind its end mark that are no archive, or a damaged one"
                    .formatted(bytes.size() - at));
        }
        global = PaxRecords.NONE;
        return header;
    }

    /**
     * Whether the rest of the last record is what the record before has there: its writer filled one buffer again. An
     * archive that is the same as one before it ends in zeros.
     */
    private boolean isOfRecordBefore(long at) {
        long left = bytes.size() - at;
        return bytes.size() % RECORD == 0
                && at > RECORD
                && left < RECORD
                && !new TarHeader(bytes.at(bytes.size() - BLOCK, BLOCK)).isZero()
                && Arrays.equals(bytes.at(at, (int) left), bytes.at(at - RECORD, (int) left));
    }

    /** Where the block begins that has the first other byte from an offset on; the file's end if there is none. */
    private long passZeros(long from) {
        for (long at = from; at < bytes.size(); at += RECORD) {
            byte[] block = bytes.at(at, RECORD);
            for (int i = 0; i < block.length; i++) {
                if (block[i] != 0) {
                    return at + (i - i % BLOCK);
                }
            }
        }
        return bytes.size();
    }

    /** A hint for a file that begins as a compressed one does; empty for others. */
    static String packed(byte[] block) {
        boolean gzip = block[0] == 0x1F && (block[1] & 0xFF) == 0x8B;
        boolean zstd = block[0] == 0x28 && (block[1] & 0xFF) == 0xB5;
        return gzip ? "; it is compressed: let its name end in .gz" : zstd ? "; let its name end in .zst" : "";
    }

    private byte[] extended(TarHeader header, long data) {
        long size = header.size();
        if (size > LARGEST_HEADER) {
            throw broken("has an extended header of %d bytes: the max is %d".formatted(size, LARGEST_HEADER));
        }
        byte[] text = bytes.at(data, (int) size);
        if (text.length < size) {
            throw broken("ends in an extended header of %d bytes: %d are there".formatted(size, text.length));
        }
        next = TarMember.padded(data + size);
        return text;
    }

    private TarMember member(TarHeader header, long data, @Nullable String longName, PaxRecords pax) {
        String said = longName != null ? longName : Objects.requireNonNullElseGet(pax.path(), header::name);
        String declared = pax.size();
        long size = declared == null ? header.size() : TarNumber.decimal(declared);
        if (size == TarNumber.BAD) {
            throw broken("has a member whose pax size is no number: \"%s\"".formatted(declared));
        }
        TarMember.Type type = type(header.type(), said);
        boolean isFile = type == TarMember.Type.FILE;
        if (header.type() == 'S' || isFile && pax.isSparse()) {
            throw refused("has the sparse file %s, which is not read: write the archive again without --sparse"
                    .formatted(said));
        }
        String name = utf8(said);
        if (isFile && name == null) {
            throw refused("has a file whose name is not UTF-8: \"%s\" in Latin-1; write the archive with names in UTF-8"
                    .formatted(said));
        }
        if (header.type() == '1') {
            size = 0; // a hard link has the size of its target
        }
        if (size > bytes.size() - data) {
            throw broken("is cut off: %s has %d bytes from byte %d on, the archive ends at %d"
                    .formatted(said, size, data, bytes.size()));
        }
        TarMember member = new TarMember(name == null ? said : name, type, data, size);
        next = member.end();
        found |= isFile;
        return member;
    }

    private static @Nullable String utf8(String bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes.getBytes(StandardCharsets.ISO_8859_1)))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    private static TarMember.Type type(char flag, String name) {
        return switch (flag) {
            // before ustar, a folder was a file whose name ends so
            case '\0' -> name.endsWith("/") ? TarMember.Type.FOLDER : TarMember.Type.FILE;
            case '0', '7' -> TarMember.Type.FILE;
            case '1', '2' -> TarMember.Type.LINK;
            case '5' -> TarMember.Type.FOLDER;
            default -> TarMember.Type.OTHER;
        };
    }

    /** A damage: behind other members it is one of the transfer, most often. */
    private FormatException broken(String what) {
        return new FormatException(place(what) + (found ? "; fetch it again" : ""));
    }

    private FormatException refused(String what) {
        return new FormatException(place(what));
    }

    private String place(String what) {
        return "%s %s (header at byte %d)".formatted(archive, what, next);
    }
}

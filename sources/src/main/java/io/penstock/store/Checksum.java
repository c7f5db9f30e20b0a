package io.penstock.store;

import io.penstock.fault.FormatException;
import io.penstock.internal.Crc32c;
import io.penstock.internal.Digests;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Objects;

/**
 * The checksum that an entry must have: SHA-256 or CRC32C, in hexadecimal.
 *
 * @param kind which of the two
 * @param hex  64 or 8 digits, in lower case
 */
public record Checksum(Kind kind, String hex) {

    /** How a checksum is computed. */
    public enum Kind {
        SHA256(64),
        CRC32C(8);

        private final int digits;

        Kind(int digits) {
            this.digits = digits;
        }

        private String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final int SHA256_TAG = 2;
    private static final int CRC32C_TAG = 3;
    private static final int TAG = 3;

    public Checksum {
        Objects.requireNonNull(kind, "kind");
        if (hex.length() != kind.digits || !hex.chars().allMatch(c -> "0123456789abcdef".indexOf(c) >= 0)) {
            throw new IllegalArgumentException("a %s checksum has %d hexadecimal digits in lower case, was \"%s\""
                    .formatted(kind.word(), kind.digits, hex));
        }
    }

    /** The checksum of these bytes; the buffer stays as it is. */
    public static Checksum of(Kind kind, ByteBuffer bytes) {
        if (kind == Kind.CRC32C) {
            return ofCrc32c(Crc32c.of(bytes));
        }
        MessageDigest digest = Digests.of("SHA-256");
        digest.update(bytes.duplicate());
        return new Checksum(kind, HexFormat.of().formatHex(digest.digest()));
    }

    /** A CRC32C that was computed elsewhere. */
    public static Checksum ofCrc32c(int value) {
        return new Checksum(Kind.CRC32C, HexFormat.of().toHexDigits(value));
    }

    /**
     * Reads {@code sha256:…}, {@code crc32c:…}, or the digits alone, whose number decides which it is.
     * @throws FormatException if it is neither
     */
    public static Checksum parse(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        for (Kind kind : Kind.values()) {
            String digits = lower.startsWith(kind.word() + ":")
                    ? lower.substring(kind.word().length() + 1)
                    : lower;
            if (digits.length() == kind.digits && digits.chars().allMatch(c -> Character.digit(c, 16) >= 0)) {
                return new Checksum(kind, digits);
            }
        }
        throw new FormatException(
                "a checksum is 64 hexadecimal digits (sha256) or 8 (crc32c), was \"%s\"".formatted(shortened(text)));
    }

    private static String shortened(String text) {
        return text.length() <= 80 ? text : text.substring(0, 80) + "…";
    }

    /** Whether these bytes have this checksum; the buffer stays as it is. */
    public boolean matches(ByteBuffer bytes) {
        return of(kind, bytes).equals(this);
    }

    /**
     * The {@link StoreEntry#version} of an entry that is known by its checksum: 62 bits of it, and which kind it is in
     * the two lowest bits. A reader of the whole entry can check the bytes against it without a list of checksums.
     */
    public long version() {
        long start = HexFormat.fromHexDigitsToLong(hex.substring(0, Math.min(16, hex.length())));
        return kind == Kind.CRC32C ? start << 2 | CRC32C_TAG : start & ~TAG | SHA256_TAG;
    }

    /** Whether a version was made of a checksum. */
    public static boolean isVersion(long version) {
        return (version & TAG) == SHA256_TAG || (version & TAG) == CRC32C_TAG;
    }

    /** Whether bytes are those of a version that was made of a checksum. */
    public static boolean matches(long version, ByteBuffer bytes) {
        Kind kind = (version & TAG) == CRC32C_TAG ? Kind.CRC32C : Kind.SHA256;
        return of(kind, bytes).version() == version;
    }

    /** As it is written in a manifest: {@code crc32c:e3069283}. */
    @Override
    public String toString() {
        return kind.word() + ":" + hex;
    }
}

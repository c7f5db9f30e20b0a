package io.penstock.cache.redis;

import io.penstock.cache.SampleKey;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * What the keys of a data set are called in the server: {@code penstock:NAME:} and the 32 hexadecimal digits of the
 * sample's key, which is a fingerprint of the sample, its stages and its codec. The name is escaped, so that none can
 * pose as part of another, as a pattern, or as the braces by which a cluster keeps keys together.
 */
final class KeySpace {

    private static final HexFormat HEX = HexFormat.of();
    private static final int DIGITS = 32;

    private final String samples;
    private final byte[] samplePrefix;
    private final byte[] leasePrefix;
    private final byte[] usage;

    KeySpace(String name) {
        String escaped = escaped(name);
        samples = "penstock:" + escaped + ":";
        samplePrefix = bytes(samples);
        leasePrefix = bytes("penstock-lease:" + escaped + ":");
        usage = bytes("penstock-usage:" + escaped);
    }

    byte[] sample(SampleKey key) {
        return named(samplePrefix, key);
    }

    byte[] lease(SampleKey key) {
        return named(leasePrefix, key);
    }

    /** Where the samples and bytes are counted. */
    byte[] usage() {
        return usage.clone();
    }

    /** What all keys of samples match, and no other keys. */
    String pattern() {
        return samples + "?".repeat(DIGITS);
    }

    @Nullable SampleKey parse(byte[] name) {
        String digits = new String(name, StandardCharsets.US_ASCII);
        if (!digits.startsWith(samples) || !digits.substring(samples.length()).matches("[0-9a-f]{32}")) {
            return null;
        }
        int middle = samples.length() + DIGITS / 2;
        return new SampleKey(
                Long.parseUnsignedLong(digits, samples.length(), middle, 16),
                Long.parseUnsignedLong(digits, middle, middle + DIGITS / 2, 16));
    }

    private static byte[] named(byte[] prefix, SampleKey key) {
        byte[] name = java.util.Arrays.copyOf(prefix, prefix.length + DIGITS);
        hex(key.high(), name, prefix.length);
        hex(key.low(), name, prefix.length + DIGITS / 2);
        return name;
    }

    private static void hex(long number, byte[] into, int at) {
        for (int i = 15; i >= 0; i--) {
            into[at + i] = (byte) HEX.toLowHexDigit((int) (number >>> 4 * (15 - i)));
        }
    }

    private static String escaped(String name) {
        StringBuilder escaped = new StringBuilder();
        for (byte letter : name.getBytes(StandardCharsets.UTF_8)) {
            boolean plain = letter >= 'a' && letter <= 'z'
                    || letter >= 'A' && letter <= 'Z'
                    || letter >= '0' && letter <= '9'
                    || letter == '.'
                    || letter == '-'
                    || letter == '_';
            escaped.append(plain ? String.valueOf((char) letter) : "%%%02x".formatted(letter));
        }
        return escaped.toString();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}

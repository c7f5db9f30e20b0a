package io.penstock.cache;

import io.penstock.internal.Digests;
import io.penstock.tensor.Codec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;

/**
 * What decides a dataset's values, as a list of words: the source and its state, then every stage. Same fingerprint,
 * same values.
 *
 * <p>It is spelled out rather than hashed from code: a stage says its name and parameters, a source its files' sizes and
 * times, a decoder its version. So a key is neither stale nor random, and two of them can be compared word by word.
 * Equality is of the words; {@link #high} and {@link #low} are the first 128 bits of their SHA-256.
 */
public final class Fingerprint {

    /** Copied for each hash: looking an algorithm up takes as long as hashing a path does. Nothing is put into it. */
    private static final MessageDigest SHA_256 = Digests.of("SHA-256");

    private final List<String> words;
    private final long high;
    private final long low;

    private Fingerprint(List<String> words) {
        this.words = words;
        ByteBuffer hash = ByteBuffer.wrap(hash(words));
        this.high = hash.getLong();
        this.low = hash.getLong();
    }

    public static Fingerprint of(String... words) {
        return new Fingerprint(List.of(words));
    }

    /** What caching with a codec adds to the keys of a dataset's samples, since it decides their bytes. */
    public static Fingerprint of(Codec<?> codec) {
        return of("codec " + codec.id());
    }

    /** This fingerprint with one more word. */
    public Fingerprint with(String word) {
        List<String> longer = new ArrayList<>(words);
        longer.add(word);
        return new Fingerprint(List.copyOf(longer));
    }

    /** This fingerprint, then all words of another. */
    public Fingerprint with(Fingerprint other) {
        List<String> longer = new ArrayList<>(words);
        longer.addAll(other.words);
        return new Fingerprint(List.copyOf(longer));
    }

    public List<String> words() {
        return words;
    }

    /** The first 64 of the 128 bits. */
    public long high() {
        return high;
    }

    /** The last 64 of the 128 bits. */
    public long low() {
        return low;
    }

    /** The 128 bits as 32 hexadecimal digits. */
    public String hex() {
        return "%016x%016x".formatted(high, low);
    }

    private static byte[] hash(List<String> words) {
        MessageDigest digest = copyOfSha256();
        for (String word : words) {
            byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
            // the length goes first, so that ["ab", "c"] and ["a", "bc"] differ
            byte[] framed = new byte[Integer.BYTES + bytes.length];
            ByteBuffer.wrap(framed).putInt(bytes.length).put(bytes);
            digest.update(framed);
        }
        return digest.digest();
    }

    private static MessageDigest copyOfSha256() {
        try {
            return (MessageDigest) SHA_256.clone();
        } catch (CloneNotSupportedException e) {
            return Digests.of("SHA-256"); // by another provider than the JDK's
        }
    }

    @Override
    public boolean equals(Object other) {
        return this == other || other instanceof Fingerprint fingerprint && words.equals(fingerprint.words);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(low);
    }

    @Override
    public String toString() {
        return hex() + " " + words;
    }
}

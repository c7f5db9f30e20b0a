package io.penstock.mds;

import io.penstock.internal.Digests;
import io.penstock.internal.OptionalLibrary;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.zip.Checksum;
import net.jpountz.xxhash.StreamingXXHash32;
import net.jpountz.xxhash.StreamingXXHash64;
import net.jpountz.xxhash.XXHashFactory;

/**
 * A hash of a shard's bytes, by the names that index.json has for them. For one thread.
 *
 * @param update adds bytes
 * @param hex    of all bytes that came, in lower case
 */
record MdsHash(Consumer<ByteBuffer> update, Supplier<String> hex) {

    /** Those that can be computed, the fastest first. */
    static final List<String> KNOWN = List.of(
            "xxh64",
            "xxh32",
            "sha1",
            "sha256",
            "sha224",
            "md5",
            "sha512",
            "sha384",
            "sha3_224",
            "sha3_256",
            "sha3_384",
            "sha3_512");

    /** @param name one of {@link #KNOWN} */
    static MdsHash of(String name) {
        if (name.startsWith("xxh")) {
            OptionalLibrary.LZ4.require("the hash " + name, MdsHash.class);
            return xx(name.equals("xxh64"));
        }
        // the JDK calls them MD5, SHA-256, SHA3-256
        String known = name.toUpperCase(Locale.ROOT).replace('_', '-').replaceFirst("^SHA(?!3-)", "SHA-");
        MessageDigest digest = Digests.of(known);
        return new MdsHash(
                bytes -> digest.update(bytes.duplicate()), () -> HexFormat.of().formatHex(digest.digest()));
    }

    private static MdsHash xx(boolean is64) {
        XXHashFactory factory = XXHashFactory.safeInstance();
        if (is64) {
            StreamingXXHash64 hash = factory.newStreamingHash64(0);
            return of(hash.asChecksum(), () -> "%016x".formatted(hash.getValue()));
        }
        StreamingXXHash32 hash = factory.newStreamingHash32(0);
        return of(hash.asChecksum(), () -> "%08x".formatted(hash.getValue())); // a Checksum's value lacks four bits
    }

    private static MdsHash of(Checksum sum, Supplier<String> hex) {
        return new MdsHash(bytes -> sum.update(bytes.duplicate()), hex);
    }
}

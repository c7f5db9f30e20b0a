package io.penstock.mds;

import io.penstock.internal.OptionalLibrary;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import net.jpountz.xxhash.StreamingXXHash32;
import net.jpountz.xxhash.StreamingXXHash64;
import net.jpountz.xxhash.XXHashFactory;

/** A hash of a shard's bytes, by the names that index.json has for them. For one thread. */
abstract class MdsHash {

    private static final String XXH64 = "xxh64";
    private static final String XXH32 = "xxh32";

    /** The JDK's names. */
    private static final Map<String, String> DIGESTS = Map.of(
            "md5", "MD5",
            "sha1", "SHA-1",
            "sha224", "SHA-224",
            "sha256", "SHA-256",
            "sha384", "SHA-384",
            "sha512", "SHA-512",
            "sha3_224", "SHA3-224",
            "sha3_256", "SHA3-256",
            "sha3_384", "SHA3-384",
            "sha3_512", "SHA3-512");

    /** Those that can be computed, the fastest first. */
    static final List<String> KNOWN = List.of(
            XXH64,
            XXH32,
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
        return switch (name) {
            case XXH64, XXH32 -> {
                OptionalLibrary.LZ4.require("the hash " + name, MdsHash.class);
                yield name.equals(XXH64) ? new Xxh64() : new Xxh32();
            }
            default -> new Digest(DIGESTS.getOrDefault(name, name));
        };
    }

    abstract void update(byte[] bytes, int offset, int length);

    /** Of all bytes that came, in lower case. */
    abstract String hex();

    void update(ByteBuffer bytes) {
        if (bytes.hasArray()) {
            update(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
            return;
        }
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(bytes.position(), copy);
        update(copy, 0, copy.length);
    }

    private static final class Xxh64 extends MdsHash {
        private final StreamingXXHash64 hash = XXHashFactory.safeInstance().newStreamingHash64(0);

        @Override
        void update(byte[] bytes, int offset, int length) {
            hash.update(bytes, offset, length);
        }

        @Override
        String hex() {
            return "%016x".formatted(hash.getValue());
        }
    }

    private static final class Xxh32 extends MdsHash {
        private final StreamingXXHash32 hash = XXHashFactory.safeInstance().newStreamingHash32(0);

        @Override
        void update(byte[] bytes, int offset, int length) {
            hash.update(bytes, offset, length);
        }

        @Override
        String hex() {
            return "%08x".formatted(hash.getValue());
        }
    }

    private static final class Digest extends MdsHash {
        private final MessageDigest digest;

        Digest(String name) {
            try {
                this.digest = MessageDigest.getInstance(name);
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every JDK has " + name, e);
            }
        }

        @Override
        void update(byte[] bytes, int offset, int length) {
            digest.update(bytes, offset, length);
        }

        @Override
        String hex() {
            return HexFormat.of().formatHex(digest.digest());
        }
    }
}

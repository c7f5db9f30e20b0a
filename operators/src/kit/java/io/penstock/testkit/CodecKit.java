package io.penstock.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.tensor.Codec;
import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** The laws of a codec. Extend it for each one. */
public abstract class CodecKit<T> {

    private static final int THREADS = 4;
    private static final int ROUNDS = 200;

    /** A new codec, the same at each call. */
    protected abstract Codec<T> open();

    /** Some values that have {@code equals}. */
    protected abstract List<T> values();

    @Test
    void id_ofAnotherInstance_isTheSame() {
        assertThat(open().id()).isEqualTo(open().id()).isNotBlank();
    }

    @Test
    void decode_whatWasEncoded_isItEachTimeFromAnyBuffer() {
        Codec<T> codec = open();

        for (T value : values()) {
            byte[] bytes = bytes(codec.encode(value));
            for (ByteBuffer buffer : List.of(
                    ByteBuffer.wrap(bytes),
                    framed(ByteBuffer.allocate(bytes.length + 9), bytes),
                    framed(ByteBuffer.allocateDirect(bytes.length + 9), bytes))) {
                assertThat(codec.decode(buffer.duplicate())).isEqualTo(value);
                assertThat(open().decode(buffer.asReadOnlyBuffer())).isEqualTo(value);
                assertThat(buffer).isEqualTo(ByteBuffer.wrap(bytes));
            }
            assertThat(bytes(codec.encode(value))).isEqualTo(bytes);
        }
    }

    /** The bytes between others, at an odd position. */
    private static ByteBuffer framed(ByteBuffer around, byte[] bytes) {
        return around.put(3, bytes).position(3).limit(3 + bytes.length);
    }

    @Test
    void encoded_inOnePieceOrParts_isTheSame() {
        Codec<T> codec = open();

        for (T value : values()) {
            Encoded encoded = codec.encode(value);
            byte[] bytes = bytes(encoded);
            ByteBuffer copy = ByteBuffer.allocate(bytes.length);
            for (int from = 0; from < bytes.length; from += 3) {
                encoded.copyTo(from, copy, from, Math.min(3, bytes.length - from));
            }
            assertThat(bytes).hasSize(encoded.length());
            assertThat(copy).isEqualTo(ByteBuffer.wrap(bytes));
            assertThat(bytes(encoded.compact())).isEqualTo(bytes);
        }
    }

    @Test
    void decode_damagedBytes_isAValueOrRefused() {
        Codec<T> codec = open();

        for (T value : values()) {
            byte[] bytes = bytes(codec.encode(value));
            for (int length = 0; length < bytes.length; length++) {
                assertValueOrRefused(codec, Arrays.copyOf(bytes, length));
            }
            for (int at = 0; at < bytes.length; at++) {
                for (int change : new int[] {1, 0x80, 0xFF}) {
                    byte[] damaged = bytes.clone();
                    damaged[at] ^= (byte) change;
                    assertValueOrRefused(codec, damaged);
                }
            }
            assertThat(codec.decode(ByteBuffer.wrap(bytes))).isEqualTo(value);
        }
    }

    private static <T> void assertValueOrRefused(Codec<T> codec, byte[] bytes) {
        try {
            assertThat(codec.decode(ByteBuffer.wrap(bytes))).isNotNull();
        } catch (IllegalArgumentException refused) {
            assertThat(refused.getMessage()).isNotBlank();
        }
    }

    @Test
    void codec_ofSeveralThreads_doesNotConfuseValues() throws Exception {
        Codec<T> codec = open();
        List<T> values = values();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        List<Future<Boolean>> results = new ArrayList<>();

        for (int thread = 0; thread < THREADS; thread++) {
            int first = thread;
            Callable<Boolean> comeBack = () -> {
                boolean same = true;
                for (int i = 0; i < ROUNDS; i++) {
                    T value = values.get((first + i) % values.size());
                    same &= value.equals(codec.decode(codec.encode(value).joined()));
                }
                return same;
            };
            results.add(threads.submit(comeBack));
        }

        for (Future<Boolean> result : results) {
            assertThat(result.get()).isTrue();
        }
        threads.shutdown();
    }

    private static byte[] bytes(Encoded encoded) {
        ByteBuffer joined = encoded.joined();
        byte[] bytes = new byte[joined.remaining()];
        joined.get(bytes);
        return bytes;
    }
}

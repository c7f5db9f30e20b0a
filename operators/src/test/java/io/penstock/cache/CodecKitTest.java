package io.penstock.cache;

import io.penstock.cache.kryo.KryoCodec;
import io.penstock.tensor.Codec;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import io.penstock.testkit.CodecKit;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Nested;

/** The codecs of the core, and Kryo's. That of slots is in its package. */
class CodecKitTest {

    record Recording(Tensor samples, int label, long number, float gain, double rate, boolean stereo, String title) {}

    record Caption(Instant taken, List<String> words, Map<String, Long> counts, Tensor pixels) {}

    private static Tensor tensor(int elements) {
        return Tensor.ofBytes(new byte[elements], elements);
    }

    @Nested
    class OfARecord extends CodecKit<Recording> {
        @Override
        protected Codec<Recording> open() {
            return Schema.of(Recording.class);
        }

        @Override
        protected List<Recording> values() {
            return List.of(
                    new Recording(tensor(5), -7, Long.MIN_VALUE, 1.5f, Math.PI, true, "grün"),
                    new Recording(tensor(0), 0, 0, 0, 0, false, ""));
        }
    }

    @Nested
    class OfATensor extends CodecKit<Tensor> {
        @Override
        protected Codec<Tensor> open() {
            return Schema.tensor("pixels");
        }

        @Override
        protected List<Tensor> values() {
            return List.of(tensor(0), tensor(7), Tensor.ofBytes(new byte[] {1, 2, 3, 4, 5, 6}, 2, 3));
        }
    }

    @Nested
    class ByKryo extends CodecKit<Caption> {
        @Override
        protected Codec<Caption> open() {
            return KryoCodec.of(Caption.class, Instant.class);
        }

        @Override
        protected List<Caption> values() {
            return List.of(
                    new Caption(Instant.EPOCH, List.of(), Map.of(), tensor(0)),
                    new Caption(Instant.MAX, List.of("a", "ü"), new TreeMap<>(Map.of("a", 1L, "b", 2L)), tensor(4)));
        }
    }
}

package io.penstock.mds;

import io.penstock.cache.SampleKey;
import io.penstock.fault.FormatException;
import io.penstock.internal.HeapLimit;
import io.penstock.internal.Notice;
import io.penstock.internal.Thrown;
import io.penstock.store.StoreFile;
import io.penstock.store.internal.InOrder;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A shard: the number of its samples (u32), where each begins and the last ends (u32), the columns as JSON, the
 * samples. Its bytes are compared with their hash once, before anything in it is believed.
 *
 * @param name     for errors: with its place
 * @param file     its key, as it is stored
 * @param key      of its state and of what is read of it
 * @param state    the same as words for people
 * @param plain    where its bytes are, decompressed if it was compressed
 * @param said     what the index says of it
 * @param damage   why its samples fail, as opening found; null if it found nothing
 * @param verified whether its bytes have their hash
 */
record MdsShard(
        String name,
        String file,
        SampleKey key,
        List<String> state,
        StoreFile plain,
        MdsIndex.Shard said,
        @Nullable FormatException damage,
        AtomicBoolean verified) {

    private static final int PIECE = 1 << 20;
    private static final int PIECES_AT_ONCE = 4;
    private static final Logger LOG = LoggerFactory.getLogger(MdsShard.class);

    /**
     * Where the samples of a shard lie.
     *
     * @param ends unsigned: where each begins, and the last ends
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Offsets(int[] ends) {
        long start(long sample) {
            return ends[(int) sample] & 0xFFFF_FFFFL;
        }

        long end(long sample) {
            return start(sample + 1);
        }

        long bytes() {
            return (long) Integer.BYTES * ends.length;
        }
    }

    SampleKey key(long sample) {
        return key.with(sample);
    }

    int samples() {
        return said.samples();
    }

    /** Where the samples lie. */
    Mono<Offsets> offsets() {
        if (damage != null) {
            return Mono.error(() -> new FormatException(String.valueOf(damage.getMessage()), damage));
        }
        return (verified.get() ? Mono.just(true) : verify()).then(Mono.defer(this::readOffsets));
    }

    private Mono<Offsets> readOffsets() {
        int samples = samples();
        long head = (long) Integer.BYTES * (samples + 2L);
        if (head > Math.min(plain.size(), HeapLimit.MAX_ARRAY)) {
            return Mono.error(() -> broken("is cut off: it has %d bytes for %d samples", plain.size(), samples));
        }
        return plain.read(0, (int) head).map(Thrown.function(this::parse));
    }

    private Offsets parse(ByteBuffer head) {
        ByteBuffer in = head.slice().order(ByteOrder.LITTLE_ENDIAN);
        int count = in.getInt();
        if (count != samples()) {
            throw broken("has %d samples, its index says %d", count & 0xFFFF_FFFFL, samples());
        }
        int[] offsets = new int[count + 1];
        in.asIntBuffer().get(offsets);
        long before = in.capacity();
        for (int i = 0; i < offsets.length; i++) {
            long offset = offsets[i] & 0xFFFF_FFFFL;
            if (offset < before || offset > plain.size()) {
                throw broken(
                        "says that sample %d begins at byte %d: between %d and %d were possible",
                        i, offset, before, plain.size());
            }
            before = offset;
        }
        return new Offsets(offsets);
    }

    private Mono<Boolean> verify() {
        Map<String, String> hashes = said.hashes();
        String algorithm =
                MdsHash.KNOWN.stream().filter(hashes::containsKey).findFirst().orElse("");
        if (algorithm.isEmpty()) {
            if (!hashes.isEmpty()) {
                Notice.warn(
                        LOG,
                        "{} is not verified: its hashes are {}, known are {}",
                        name,
                        hashes.keySet(),
                        MdsHash.KNOWN);
            }
            verified.set(true);
            return Mono.just(true);
        }
        return Mono.defer(() -> {
            MdsHash hash = MdsHash.of(algorithm);
            return Flux.fromStream(LongStream.iterate(0, at -> at < plain.size(), at -> at + PIECE)
                            .boxed())
                    .transform(InOrder.map(
                            PIECES_AT_ONCE, at -> plain.read(at, (int) Math.min(PIECE, plain.size() - at))))
                    .map(Thrown.function(piece -> {
                        hash.update().accept(piece);
                        return true;
                    }))
                    .then(Mono.fromCallable(
                            Thrown.callable(() -> compared(algorithm, hash.hex().get()))));
        });
    }

    private boolean compared(String algorithm, String found) {
        String expected = said.hashes().getOrDefault(algorithm, "");
        if (!found.equalsIgnoreCase(expected)) {
            throw broken("is damaged: its %s is %s, its index says %s; fetch it again", algorithm, found, expected);
        }
        verified.set(true);
        return true;
    }

    @SuppressWarnings("AnnotateFormatMethod") // its annotation is in a library of its own
    FormatException broken(String what, Object... values) {
        return new FormatException(name + " " + what.formatted(values));
    }
}

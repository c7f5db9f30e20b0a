package io.penstock.mds;

import io.penstock.cache.SampleKey;
import io.penstock.fault.FormatException;
import io.penstock.internal.Thrown;
import io.penstock.store.StoreEntry;
import io.penstock.store.StoreFile;
import io.penstock.store.internal.InOrder;
import io.penstock.store.internal.StoreFiles;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A shard: the number of its samples (u32), where each begins and the last ends (u32), the columns as JSON, the
 * samples. Its bytes are compared with their hash once, before anything in it is believed.
 */
final class MdsShard {

    private static final int PIECE = 1 << 20;
    private static final int PIECES_AT_ONCE = 4;
    private static final Logger LOG = LoggerFactory.getLogger(MdsShard.class);

    private final String name;
    private final String entry;
    private final SampleKey key;
    private final List<String> state;
    private final StoreFile file;
    private final int samples;
    private final Map<String, String> hashes;
    private volatile boolean verified;

    /**
     * @param entry as it is stored
     * @param key   of its state and of what is read of it
     * @param plain where its bytes are, decompressed if it was compressed
     * @param said  what the index says of it
     */
    MdsShard(StoreFiles files, StoreEntry entry, SampleKey key, StoreFile plain, MdsIndex.Shard said) {
        this.name = "%s in %s".formatted(entry.key(), files.store().location());
        this.entry = entry.key();
        this.key = key;
        this.state = files.state(entry);
        this.file = plain;
        this.samples = said.samples();
        this.hashes = said.hashes();
    }

    String name() {
        return name;
    }

    String file() {
        return entry;
    }

    SampleKey key(long sample) {
        return key.with(sample);
    }

    List<String> state() {
        return state;
    }

    int samples() {
        return samples;
    }

    /** Where the samples lie: unsigned, and one more than there are samples. */
    Mono<int[]> offsets() {
        return (verified ? Mono.just(true) : verify()).then(Mono.defer(this::readOffsets));
    }

    private Mono<int[]> readOffsets() {
        long head = (long) Integer.BYTES * (samples + 2L);
        if (head > file.size()) {
            return Mono.error(() -> broken("is cut off: it has %d bytes for %d samples", file.size(), samples));
        }
        return file.read(0, (int) head).map(Thrown.function(this::parse));
    }

    private int[] parse(ByteBuffer head) {
        ByteBuffer in = head.slice().order(ByteOrder.LITTLE_ENDIAN);
        int count = in.getInt();
        if (count != samples) {
            throw broken("has %d samples, its index says %d", count & 0xFFFF_FFFFL, samples);
        }
        int[] offsets = new int[samples + 1];
        in.asIntBuffer().get(offsets);
        long before = in.capacity();
        for (int i = 0; i < offsets.length; i++) {
            long offset = offsets[i] & 0xFFFF_FFFFL;
            if (offset < before || offset > file.size()) {
                throw broken(
                        "says that sample %d begins at byte %d: between %d and %d were possible",
                        i, offset, before, file.size());
            }
            before = offset;
        }
        return offsets;
    }

    /** The bytes of a sample. */
    Mono<ByteBuffer> read(int[] offsets, int sample, int max) {
        long from = offsets[sample] & 0xFFFF_FFFFL;
        long bytes = (offsets[sample + 1] & 0xFFFF_FFFFL) - from;
        if (bytes > max) {
            return Mono.error(() -> broken("has %d bytes in sample %d: at most %d are read", bytes, sample, max));
        }
        return bytes == 0 ? Mono.just(ByteBuffer.allocate(0)) : file.read(from, (int) bytes);
    }

    private Mono<Boolean> verify() {
        String algorithm =
                MdsHash.KNOWN.stream().filter(hashes::containsKey).findFirst().orElse("");
        if (algorithm.isEmpty()) {
            if (!hashes.isEmpty()) {
                LOG.warn("{} is not verified: its hashes are {}, known are {}", name, hashes.keySet(), MdsHash.KNOWN);
            }
            verified = true;
            return Mono.just(true);
        }
        return Mono.defer(() -> {
            MdsHash hash = MdsHash.of(algorithm);
            return Flux.fromStream(LongStream.iterate(0, at -> at < file.size(), at -> at + PIECE)
                            .boxed())
                    .transform(InOrder.map(
                            PIECES_AT_ONCE, at -> file.read(at, (int) Math.min(PIECE, file.size() - at))))
                    .map(Thrown.function(piece -> {
                        hash.update(piece);
                        return true;
                    }))
                    .then(Mono.fromCallable(Thrown.callable(() -> compared(algorithm, hash.hex()))));
        });
    }

    private boolean compared(String algorithm, String found) {
        String expected = hashes.getOrDefault(algorithm, "");
        if (!found.equalsIgnoreCase(expected)) {
            throw broken("is damaged: its %s is %s, its index says %s; fetch it again", algorithm, found, expected);
        }
        verified = true;
        return true;
    }

    @SuppressWarnings("AnnotateFormatMethod") // its annotation is in a library of its own
    FormatException broken(String what, Object... values) {
        return new FormatException(name + " " + what.formatted(values));
    }
}

package io.penstock.peers;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.penstock.cache.Entry;
import io.penstock.cache.LendingTier;
import io.penstock.cache.Put;
import io.penstock.cache.SampleKey;
import io.penstock.cache.Tier;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.tensor.Encoded;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A cache of values by key, empty at first. One thread uses it. */
interface SampleStore extends AutoCloseable {

    void put(int key, ByteBuffer value) throws Exception;

    /** Called between the puts and the reads. */
    default void settle() {}

    /** Copies a value to a place of a batch. */
    void read(int key, ByteBuffer batch, int at) throws Exception;

    @Override
    default void close() {}

    /** Caffeine: arrays on the Java heap. */
    static SampleStore caffeine(Work work) {
        Cache<Integer, byte[]> cache = Caffeine.newBuilder()
                .maximumWeight(work.room())
                .weigher((Integer key, byte[] value) -> value.length)
                .build();
        return new SampleStore() {
            @Override
            public void put(int key, ByteBuffer value) {
                byte[] bytes = new byte[value.remaining()];
                value.get(value.position(), bytes);
                cache.put(key, bytes);
            }

            @Override
            public void settle() {
                cache.cleanUp();
            }

            @Override
            public void read(int key, ByteBuffer batch, int at) {
                batch.put(at, Objects.requireNonNull(cache.getIfPresent(key), "what was put"));
            }
        };
    }

    /** The limit: values of one length in a mapped file. */
    static SampleStore mapped(Work work, Path file) throws IOException {
        int samplesAPart = (1 << 30) / work.sampleBytes();
        int partBytes = samplesAPart * work.sampleBytes();
        long size = (long) work.samples() * work.sampleBytes();
        List<ByteBuffer> parts = new ArrayList<>();
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            for (long at = 0; at < size; at += partBytes) {
                parts.add(channel.map(FileChannel.MapMode.READ_WRITE, at, Math.min(partBytes, size - at)));
            }
        }
        return new SampleStore() {
            @Override
            public void put(int key, ByteBuffer value) {
                parts.get(key / samplesAPart)
                        .put(key % samplesAPart * work.sampleBytes(), value, 0, work.sampleBytes());
            }

            @Override
            public void read(int key, ByteBuffer batch, int at) {
                int from = key % samplesAPart * work.sampleBytes();
                batch.put(at, parts.get(key / samplesAPart), from, work.sampleBytes());
            }
        };
    }

    /** A file for each sample. */
    static SampleStore files(Path folder) throws IOException {
        for (int i = 0; i < 256; i++) {
            Files.createDirectories(folder.resolve(Integer.toString(i)));
        }
        return new SampleStore() {
            private Path file(int key) {
                return folder.resolve(Integer.toString(key & 255)).resolve(Integer.toString(key));
            }

            @Override
            public void put(int key, ByteBuffer value) throws IOException {
                try (FileChannel channel =
                        FileChannel.open(file(key), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                    channel.write(value.duplicate());
                }
            }

            @Override
            public void read(int key, ByteBuffer batch, int at) throws IOException {
                try (FileChannel channel = FileChannel.open(file(key), StandardOpenOption.READ)) {
                    ByteBuffer place = batch.slice(at, (int) channel.size());
                    while (place.hasRemaining() && channel.read(place) >= 0) {
                        // until it is full
                    }
                }
            }
        };
    }

    /** One of our tiers, key by key. */
    static SampleStore tier(Tier tier) {
        SampleKey samples = SampleKey.of("peers");
        return new SampleStore() {
            @Override
            public void put(int key, ByteBuffer value) {
                ByteBuffer own = ByteBuffer.allocate(value.remaining())
                        .put(value.duplicate())
                        .flip(); // kept until written
                Put put = tier.put(samples.with(key), Encoded.of(own), Entry.UNKNOWN)
                        .block();
                if (put == null || !put.held()) {
                    throw new IllegalStateException("the tier is full");
                }
            }

            @Override
            public void settle() {
                if (tier instanceof ChronicleTier disk) {
                    disk.flush().block();
                }
            }

            @Override
            public void read(int key, ByteBuffer batch, int at) {
                ByteBuffer value = Objects.requireNonNull(value(samples.with(key)), "what was put");
                batch.put(at, value, value.position(), value.remaining());
            }

            /** A view where the tier lends one to who copies it at once, as batches do: {@code get} copies first. */
            private @Nullable ByteBuffer value(SampleKey key) {
                @Nullable ByteBuffer[] found = {null};
                return tier instanceof LendingTier lending && lending.lendAll(new SampleKey[] {key}, found)
                        ? found[0]
                        : tier.get(key).block();
            }

            @Override
            public void close() {
                tier.close();
            }
        };
    }
}

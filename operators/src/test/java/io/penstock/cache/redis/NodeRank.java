package io.penstock.cache.redis;

import io.penstock.cache.Entry;
import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.order.Position;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.pipeline.Dataset;
import io.penstock.stream.Sample;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;

/** A process that is one rank on a node of its own, and says after each epoch what it loaded and got. */
final class NodeRank {

    static final int WORLD = 4;
    static final int SAMPLES = 400;

    private NodeRank() {}

    /** @param gated whether it waits for a byte before each epoch and in its middle */
    static Process start(int rank, int firstEpoch, int epochs, boolean gated, String uri) throws IOException {
        return Rank.java(NodeRank.class, "" + rank, "" + firstEpoch, "" + epochs, "" + gated, uri);
    }

    /** What an epoch of all ranks adds up to. */
    static long digest(long epoch) {
        return LongStream.range(0, SAMPLES)
                .map(index -> digest(epoch, index, Rank.Numbers.value(index)))
                .sum();
    }

    private static long digest(long epoch, long index, ByteBuffer value) {
        return Fingerprint.of("" + epoch, "" + index, "" + value.hashCode()).high();
    }

    /** Says "half" in the middle of an epoch, and at its end "EPOCH SEEN LOADS DIGEST". */
    public static void main(String[] args) throws IOException {
        PrintStream out =
                new PrintStream(new java.io.FileOutputStream(java.io.FileDescriptor.out), true, StandardCharsets.UTF_8);
        Shard shard = Shard.of(Integer.parseInt(args[0]), WORLD);
        boolean gated = Boolean.parseBoolean(args[3]);
        Rank.Numbers numbers = new Rank.Numbers(SAMPLES);
        try (RedisTier tier = RedisTier.at(args[4]).open()) {
            Dataset<ByteBuffer> cached = numbers.cached(tier);
            for (int epoch = Integer.parseInt(args[1]); epoch < Integer.parseInt(args[2]); epoch++) {
                if (gated) {
                    System.in.read();
                    awaitAll(tier, cached);
                }
                Sampler sampler =
                        Sampler.shuffled(7).epochs(epoch + 1).shard(shard).resumeAt(new Position(epoch, 0));
                long before = numbers.loads.get();
                long seen = 0;
                long digest = 0;
                for (Sample<ByteBuffer> sample : cached.stream(sampler).toIterable(1)) {
                    digest += digest(epoch, sample.draw().index(), sample.value());
                    if (!gated) {
                        LockSupport.parkNanos(3_000_000); // so that what is killed is in the middle of something
                    }
                    if (++seen == SAMPLES / WORLD / 2 && gated) {
                        out.println("half");
                        System.in.read();
                    }
                }
                out.println(epoch + " " + seen + " " + (numbers.loads.get() - before) + " " + digest);
            }
        }
    }

    /** Until each server takes keys: a node that came back is known to this one. */
    private static void awaitAll(RedisTier tier, Dataset<ByteBuffer> cached) {
        for (int i = 0; i < SAMPLES; i++) {
            SampleKey key = cached.id(i).key();
            while (!tier.accepts(key, Entry.UNKNOWN)) {
                LockSupport.parkNanos(10_000_000);
            }
        }
    }
}

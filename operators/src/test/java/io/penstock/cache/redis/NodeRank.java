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

    /** How the ranks run. */
    enum Run {
        /** Each waits for a byte before each epoch, in its middle, and before it ends. */
        GATED(4_000, 32_000),
        /** At a pace that leaves time to kill something. */
        FREE(400, 2_000);

        final int samples;
        final int bytes;

        /** @param bytes of a sample */
        Run(int samples, int bytes) {
            this.samples = samples;
            this.bytes = bytes;
        }

        private Rank.Numbers numbers() {
            return new Rank.Numbers(samples, bytes);
        }

        /** What an epoch of all ranks adds up to. */
        long digest(long epoch) {
            Rank.Numbers numbers = numbers();
            return LongStream.range(0, samples)
                    .map(index -> NodeRank.digest(epoch, index, numbers.value(index)))
                    .sum();
        }
    }

    private NodeRank() {}

    static Process start(int rank, int firstEpoch, int epochs, Run run, String uri) throws IOException {
        return Rank.java(NodeRank.class, "" + rank, "" + firstEpoch, "" + epochs, run.name(), uri);
    }

    private static long digest(long epoch, long index, ByteBuffer value) {
        return Fingerprint.of("" + epoch, "" + index, "" + value.hashCode()).high();
    }

    /** Says "half" in the middle of an epoch, and at its end "EPOCH SEEN LOADS DIGEST". */
    public static void main(String[] args) throws IOException {
        PrintStream out =
                new PrintStream(new java.io.FileOutputStream(java.io.FileDescriptor.out), true, StandardCharsets.UTF_8);
        Shard shard = Shard.of(Integer.parseInt(args[0]), WORLD);
        Run run = Run.valueOf(args[3]);
        boolean gated = run == Run.GATED;
        Rank.Numbers numbers = run.numbers();
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
                    if (++seen == run.samples / WORLD / 2 && gated) {
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
        for (int i = 0; i < cached.size(); i++) {
            SampleKey key = cached.id(i).key();
            while (!tier.accepts(key, Entry.UNKNOWN)) {
                LockSupport.parkNanos(10_000_000);
            }
        }
    }
}

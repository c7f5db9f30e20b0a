package io.penstock.bench.suite;

import com.sun.management.ThreadMXBean;
import io.penstock.bench.Bench;
import io.penstock.cache.Entry;
import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.cache.Tier;
import io.penstock.cache.internal.Rendezvous;
import io.penstock.cache.ram.RamTier;
import io.penstock.order.Position;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.tensor.Encoded;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What more samples and more ranks cost. Orders are arithmetic, so those of 10^10 samples need no data. An index needs
 * its keys: the RAM tier is filled with small values.
 */
public final class Scale {

    private static final long FEW_SAMPLES = 1_000;
    private static final List<Integer> RANKS = List.of(16, 64, 256, 1_000);
    private static final long MANY_SAMPLES = 10_000_000_000L;
    private static final long EPOCHS = 1_000_000_000;
    private static final double MAX_BYTES = 4_096; // a rank
    private static final double MAX_INDEX_BYTES = 24;
    private static final int VALUE_BYTES = 16;
    private static final SampleKey INDEXED = SampleKey.of("scale");

    private static final int RANKS_A_NODE = 8;
    private static final int RATE = 2_500; // samples a second of a rank
    private static final int IN_FLIGHT = 256;
    private static final double MAX_UNEVEN = 1.1;

    private Scale() {}

    /** As the data grow: what an order holds, and the index of the tier in RAM. */
    public static void samples(Bench bench) {
        double few = bytes(FEW_SAMPLES, RANKS_A_NODE);
        bench.found("memory of order, shard and resume of 1,000 samples", few, "B");
        double more = bytes(MANY_SAMPLES, RANKS_A_NODE) - few;
        bench.atMost(0, "more memory of order, shard and resume of 10^10", more, "B");
        int indexed = bench.choose(10_000_000, 100_000);
        bench.progress("scale: filling an index of %,d", indexed);
        bench.atMost(MAX_INDEX_BYTES, "index of %,d samples in RAM, each".formatted(indexed), indexBytes(indexed), "B");
    }

    /** Min of the bytes that this thread allocates for an order, a shard, a resumed position and a draw of each. */
    private static double bytes(long samples, int ranks) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Position saved = new Position(1, samples / 2);
        long min = Long.MAX_VALUE;
        long sum = 0; // is used, so that the compiler cannot remove the work
        for (int time = 0; time < 20; time++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            Sampler order = Sampler.shuffled(42).epochs(EPOCHS);
            Sampler shard = order.shard(Shard.of(3, ranks));
            sum += order.draws(samples).at(0).index()
                    + shard.draws(samples).at(0).index();
            sum += shard.resumeAt(saved).draws(samples).at(0).index();
            min = Math.min(min, threads.getCurrentThreadAllocatedBytes() - before);
        }
        return sum < 0 ? Double.NaN : min;
    }

    /** Bytes of a sample in addition to its value, as the tier counts them. */
    private static double indexBytes(int samples) {
        ByteBuffer value = ByteBuffer.allocate(VALUE_BYTES);
        try (Tier tier = RamTier.ofBytes(samples * 160L + (16 << 20))) {
            for (long i = 0; i < samples; i++) {
                value.clear().putLong(0, i);
                tier.put(INDEXED.with(i), Encoded.of(value), Entry.UNKNOWN).block();
            }
            if (tier.statistics().samples() != samples) {
                throw new IllegalStateException("the tier holds %d of %d samples"
                        .formatted(tier.statistics().samples(), samples));
            }
            return (double) tier.statistics().bytes() / samples - VALUE_BYTES;
        }
    }

    /**
     * As the ranks grow, over 10^10 samples. Orders and the spread of keys are the framework's own; the load of the
     * servers follows from them and from an assumed rate. Nothing is sent.
     */
    public static void ranks(Bench bench) {
        SampleKey data = SampleKey.of(Fingerprint.of("cluster"));
        SampleKey[] keys = new SampleKey[bench.choose(2_000_000, 200_000)];
        Arrays.setAll(keys, data::with);
        for (int ranks : RANKS) {
            bench.progress("cluster: %d ranks", ranks);
            int nodes = ranks / RANKS_A_NODE;
            String what = "%,d ranks on %d nodes: ".formatted(ranks, nodes);
            double bytes = bytes(MANY_SAMPLES, ranks);
            bench.atMost(MAX_BYTES, what + "memory of order, shard and resume", bytes, "B");
            servers(bench, what, ranks, nodes, keys);
        }
    }

    private static void servers(Bench bench, String what, int ranks, int nodes, SampleKey[] keys) {
        int[] owners = owners(keys, nodes);
        long[] counts = new long[nodes];
        for (int owner : owners) {
            counts[owner]++;
        }
        double uneven = Arrays.stream(counts).max().orElseThrow() / ((double) keys.length / nodes);
        int[] without = owners(keys, nodes - 1); // the last node is lost
        long others = IntStream.range(0, keys.length)
                .filter(key -> owners[key] != nodes - 1 && owners[key] != without[key])
                .count();
        double lookUps = (double) ranks * RATE / nodes * uneven;
        // a rank's keys in flight fall on this number of servers, each of which gets them in one command
        double asked = nodes * (1 - Math.pow(1 - 1.0 / nodes, IN_FLIGHT));
        bench.atMost(MAX_UNEVEN, what + "keys of the fullest server over an even share", uneven, "times");
        bench.found(what + "keys of a lost node", 100.0 * counts[nodes - 1] / keys.length, "%");
        bench.atMost(0, what + "other keys that move", (double) others, "");
        bench.found(what + "look-ups of the fullest server", lookUps, "/s");
        bench.found(what + "keys a command", IN_FLIGHT / asked, "");
        bench.found(what + "commands of the fullest server", lookUps * asked / IN_FLIGHT, "/s");
    }

    /** The node that each key belongs to. */
    private static int[] owners(SampleKey[] keys, int nodes) {
        long[] numbers = IntStream.range(0, nodes)
                .mapToLong(node -> Rendezvous.number("node-" + node))
                .toArray();
        int[] owners = new int[keys.length];
        Arrays.setAll(owners, key -> Rendezvous.owner(keys[key], nodes, node -> numbers[node], Rendezvous.NONE));
        return owners;
    }
}

package io.penstock.bench.scaling;

import io.penstock.bench.BenchOptions;
import io.penstock.bench.Benchmark;
import io.penstock.bench.Result;
import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.cache.internal.Rendezvous;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What up to 1,000 ranks and 10^10 samples take, by arithmetic. Draws and the spread of keys are the framework's own;
 * the load of the servers follows from them and from an assumed rate. Nothing is sent.
 */
public final class Cluster implements Benchmark {

    private static final long SAMPLES = 10_000_000_000L;

    private static final List<Integer> RANKS = List.of(16, 64, 256, 1_000);
    private static final int RANKS_A_NODE = 8;
    private static final int RATE = 2_500; // samples a second of a rank
    private static final int IN_FLIGHT = 256;
    private static final double MAX_UNEVEN = 1.1;
    private static final double MAX_BYTES = 4_096; // a rank

    /** The keys of a number of samples, and the node that each belongs to. */
    private static final class Keys {
        private final SampleKey[] keys;

        Keys(int count) {
            SampleKey data = SampleKey.of(Fingerprint.of("cluster"));
            keys = new SampleKey[count];
            Arrays.setAll(keys, data::with);
        }

        int[] owners(int nodes) {
            long[] numbers = IntStream.range(0, nodes)
                    .mapToLong(node -> Rendezvous.number("node-" + node))
                    .toArray();
            int[] owners = new int[keys.length];
            Arrays.setAll(owners, key -> Rendezvous.owner(keys[key], nodes, node -> numbers[node], Rendezvous.NONE));
            return owners;
        }
    }

    @Override
    public String name() {
        return "cluster";
    }

    @Override
    public List<Result> run(BenchOptions options) {
        Keys keys = new Keys(options.choose(2_000_000, 200_000));
        int draws = options.choose(2_000_000, 200_000);
        double compiled = new DrawTimes(SAMPLES, draws, 1).shard() + new DrawTimes(SAMPLES, draws, 1).resume();
        options.progress().accept("cluster: warmed up, %.0f ns".formatted(compiled));
        List<Result> results = new ArrayList<>();
        for (int ranks : RANKS) {
            options.progress().accept("cluster: %d ranks".formatted(ranks));
            String what = "%,d ranks on %d nodes: ".formatted(ranks, ranks / RANKS_A_NODE);
            DrawTimes times = new DrawTimes(SAMPLES, draws, ranks);
            results.add(Result.of(what + "a draw of 10^10", times.shard(), "ns"));
            results.add(Result.of(what + "start or resume, to the first draw", times.resume(), "ns"));
            results.add(Result.of(what + "memory of order, shard and resume", times.bytes(), "B")
                    .atMost(0, MAX_BYTES));
            results.addAll(servers(what, ranks, ranks / RANKS_A_NODE, keys));
        }
        return results;
    }

    private static List<Result> servers(String what, int ranks, int nodes, Keys keys) {
        int[] owners = keys.owners(nodes);
        long[] counts = new long[nodes];
        for (int owner : owners) {
            counts[owner]++;
        }
        double even = (double) owners.length / nodes;
        double uneven = Arrays.stream(counts).max().orElseThrow() / even;
        int[] without = keys.owners(nodes - 1); // the last node is lost
        long lost = IntStream.range(0, owners.length)
                .filter(key -> owners[key] == nodes - 1)
                .count();
        long others = IntStream.range(0, owners.length)
                .filter(key -> owners[key] != nodes - 1 && owners[key] != without[key])
                .count();
        double lookUps = (double) ranks * RATE / nodes * uneven;
        // a rank's keys in flight fall on this number of servers, each of which gets them in one command
        double asked = nodes * (1 - Math.pow(1 - 1.0 / nodes, IN_FLIGHT));
        return List.of(
                Result.of(what + "keys of the fullest server over an even share", uneven, "times")
                        .atMost(0, MAX_UNEVEN),
                Result.of(what + "keys of a lost node", 100.0 * lost / owners.length, "%"),
                Result.of(what + "other keys that move", (double) others, "").atMost(0, 0),
                Result.of(what + "look-ups of the fullest server", lookUps, "/s"),
                Result.of(what + "keys a command", IN_FLIGHT / asked, ""),
                Result.of(what + "commands of the fullest server", lookUps * asked / IN_FLIGHT, "/s"));
    }
}

package io.penstock.bench.scaling;

import io.penstock.bench.BenchOptions;
import io.penstock.bench.Benchmark;
import io.penstock.bench.Result;
import io.penstock.bench.Rounds;
import io.penstock.serve.BatchServer;
import io.penstock.serve.ServerPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Batches a second from servers whose work is bound by a delay: several of them, one that is slow, one that is
 * killed. Taken by a consumer in Java and, where python3 has numpy, by one in Python.
 */
public final class SeveralServers implements Benchmark {

    private static final Duration EACH = Duration.ofMillis(5);
    private static final Duration SLOW = Duration.ofMillis(50);
    private static final double IDEAL = 1e9 / (BoundServer.BATCH * EACH.toNanos());
    private static final List<Integer> NUMBERS = List.of(1, 2, 4, 8);
    private static final String TIMES = "times";
    private static final int LOST_OF = 3;
    private static final double MUST_REACH = 0.9;
    private static final double MUST_REACH_BESIDE_A_SLOW_ONE = 0.8;

    @Override
    public String name() {
        return "servers";
    }

    @Override
    public List<Result> run(BenchOptions options) {
        return ServedConsumer.present().stream()
                .flatMap(consumer -> run(consumer, options).stream())
                .toList();
    }

    private static List<Result> run(ServedConsumer consumer, BenchOptions options) {
        int batches = options.choose(100, 30); // of each server
        int rounds = options.choose(3, 1);
        List<Result> results = new ArrayList<>();
        Rounds several = options.rounds(
                "servers, taken in " + consumer,
                1,
                rounds,
                List.of(
                        () -> rate(consumer, batches, 1, 0),
                        () -> rate(consumer, batches, 2, 0),
                        () -> rate(consumer, batches, 4, 0),
                        () -> rate(consumer, batches, 8, 0),
                        () -> rate(consumer, batches, 3, 1)));
        results.add(Result.of("%s: one server, of its own delay".formatted(consumer), several.median(0) / IDEAL, TIMES)
                .atLeast(0, MUST_REACH));
        for (int i = 1; i < NUMBERS.size(); i++) {
            double times = several.median(i) / several.median(0);
            int number = NUMBERS.get(i);
            results.add(Result.of(
                            "%s: %d servers, of %d times one".formatted(consumer, number, number),
                            times / number,
                            TIMES)
                    .atLeast(0, MUST_REACH));
        }
        results.add(Result.of(
                        "%s: 3 servers and one ten times slower, of the three".formatted(consumer),
                        several.median(NUMBERS.size()) / (3 * several.median(0)),
                        TIMES)
                .atLeast(0, MUST_REACH_BESIDE_A_SLOW_ONE));
        double longest = IntStream.rangeClosed(1, options.choose(10, 2))
                .mapToDouble(time -> gap(consumer, batches, lostAt(batches, time)))
                .max()
                .orElseThrow();
        results.add(Result.of("%s: longest gap when one of 3 processes is killed".formatted(consumer), longest, "s")
                .atMost(0, 1));
        return results;
    }

    /** Anywhere but at the end. */
    private static int lostAt(int each, int time) {
        return 1 + time * 37 % (LOST_OF * each - each / 2);
    }

    /** Batches a second, without the first of each server. */
    private static double rate(ServedConsumer consumer, int each, int sound, int slow) {
        int batches = each * sound;
        int first = 2 * (sound + slow);
        List<BatchServer> servers = IntStream.range(0, sound + slow)
                .mapToObj(i -> ServerPlan.of(new BoundServer(batches, i < sound ? EACH : SLOW))
                        .start())
                .toList();
        Clock clock = new Clock();
        consumer.take(servers.stream().map(BatchServer::address).toList(), () -> {
            if (++clock.count == first) {
                clock.began = System.nanoTime();
            }
            clock.last = System.nanoTime();
        });
        servers.forEach(BatchServer::close);
        return (clock.count - first) * 1e9 / (clock.last - clock.began);
    }

    /** The longest time without a batch, in seconds, where a server is killed at a batch. */
    private static double gap(ServedConsumer consumer, int each, int killedAt) {
        Clock clock = new Clock();
        try (ServerProcesses servers = new ServerProcesses(LOST_OF, each * LOST_OF, EACH)) {
            consumer.take(servers.addresses(), () -> {
                long now = System.nanoTime();
                if (++clock.count == killedAt) {
                    servers.kill(killedAt % LOST_OF);
                } else if (clock.count > killedAt) {
                    clock.longest = Math.max(clock.longest, now - clock.last);
                }
                clock.last = now;
            });
        }
        return clock.longest / 1e9;
    }

    /** When batches came, in nanoseconds. */
    private static final class Clock {
        private int count;
        private long began;
        private long last;
        private long longest;
    }
}

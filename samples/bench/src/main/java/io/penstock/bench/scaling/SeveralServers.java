package io.penstock.bench.scaling;

import io.penstock.bench.BenchOptions;
import io.penstock.bench.Benchmark;
import io.penstock.bench.Result;
import io.penstock.bench.Rounds;
import io.penstock.serve.BatchServer;
import io.penstock.serve.ServerPlan;
import io.penstock.serve.client.RemoteBatch;
import io.penstock.serve.client.RemoteBatches;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Batches a second from servers whose work is bound by a delay: several of them, one that is slow, one that is lost. */
public final class SeveralServers implements Benchmark {

    private static final Duration EACH = Duration.ofMillis(5);
    private static final Duration SLOW = Duration.ofMillis(50);
    private static final double IDEAL = 1e9 / (BoundServer.BATCH * EACH.toNanos());
    private static final List<Integer> NUMBERS = List.of(1, 2, 4, 8);
    private static final int LOST_OF = 3;
    private static final double MUST_REACH = 0.9;
    private static final double MUST_REACH_BESIDE_A_SLOW_ONE = 0.8;

    @Override
    public String name() {
        return "servers";
    }

    @Override
    public List<Result> run(BenchOptions options) {
        int batches = options.choose(100, 30); // of each server
        int rounds = options.choose(3, 1);
        List<Result> results = new ArrayList<>();
        Rounds several = options.rounds(
                "servers",
                1,
                rounds,
                List.of(
                        () -> rate(batches, 1, 0),
                        () -> rate(batches, 2, 0),
                        () -> rate(batches, 4, 0),
                        () -> rate(batches, 8, 0),
                        () -> rate(batches, 3, 1)));
        results.add(Result.of("one server, of its own delay", several.median(0) / IDEAL, "times"));
        for (int i = 1; i < NUMBERS.size(); i++) {
            double times = several.median(i) / several.median(0);
            int number = NUMBERS.get(i);
            results.add(Result.of("%d servers, of %d times one".formatted(number, number), times / number, "times")
                    .atLeast(0, MUST_REACH));
        }
        results.add(Result.of(
                        "3 servers and one ten times slower, of the three",
                        several.median(NUMBERS.size()) / (3 * several.median(0)),
                        "times")
                .atLeast(0, MUST_REACH_BESIDE_A_SLOW_ONE));
        double longest = IntStream.rangeClosed(1, options.choose(10, 2))
                .mapToDouble(time -> gap(batches, lostAt(batches, time)))
                .max()
                .orElseThrow();
        results.add(Result.of("longest gap when one of 3 is lost", longest, "s").atMost(0, 1));
        return results;
    }

    /** Anywhere but at the end. */
    private static int lostAt(int each, int time) {
        return 1 + time * 37 % (LOST_OF * each - each / 2);
    }

    private static List<BatchServer> start(int batches, int sound, int slow) {
        return IntStream.range(0, sound + slow)
                .mapToObj(i -> ServerPlan.of(new BoundServer(batches, i < sound ? EACH : SLOW))
                        .start())
                .toList();
    }

    private static Iterable<RemoteBatch> take(List<BatchServer> servers) {
        return RemoteBatches.of(servers.stream().map(BatchServer::address).toList()).stream()
                .toIterable(1);
    }

    /** Batches a second, without the first of each server. */
    private static double rate(int each, int sound, int slow) {
        int batches = each * sound;
        int first = 2 * (sound + slow);
        List<BatchServer> servers = start(batches, sound, slow);
        long began = 0;
        int count = 0;
        for (RemoteBatch batch : take(servers)) {
            batch.batch().close();
            if (++count == first) {
                began = System.nanoTime();
            }
        }
        double seconds = (System.nanoTime() - began) / 1e9;
        servers.forEach(BatchServer::close);
        return (count - first) / seconds;
    }

    /** The longest time without a batch, in seconds, where a server is lost at a batch. */
    private static double gap(int each, int lostAt) {
        List<BatchServer> servers = start(each * LOST_OF, LOST_OF, 0);
        long last = 0;
        long longest = 0;
        int count = 0;
        for (RemoteBatch batch : take(servers)) {
            batch.batch().close();
            if (++count == lostAt) {
                last = System.nanoTime();
                Mono.fromRunnable(servers.get(lostAt % LOST_OF)::close)
                        .subscribeOn(Schedulers.boundedElastic())
                        .subscribe();
            } else if (last > 0) {
                longest = Math.max(longest, System.nanoTime() - last);
                last = System.nanoTime();
            }
        }
        servers.forEach(BatchServer::close);
        return longest / 1e9;
    }
}

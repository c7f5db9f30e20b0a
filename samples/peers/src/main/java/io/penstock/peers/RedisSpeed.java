package io.penstock.peers;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.penstock.bench.BenchOptions;
import io.penstock.bench.Benchmark;
import io.penstock.bench.Result;
import io.penstock.bench.Rounds;
import io.penstock.bench.ScratchFolder;
import io.penstock.cache.Entry;
import io.penstock.cache.SampleKey;
import io.penstock.cache.redis.NodeServer;
import io.penstock.cache.redis.RedisTier;
import io.penstock.tensor.Encoded;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import redis.embedded.core.ExecutableProvider;

/**
 * The tier in Redis against bare calls of its client, with one server on this machine and as many values in flight. The
 * bare client runs pipelined {@code SET} and {@code GET} on the thread of its connection, a group a flush, and checks
 * nothing. An {@code MGET} for keys that are known in advance is its max. The tier gets key after key in order, as from
 * a stream: it forms groups, verifies checksums and passes values to workers. A stream through {@code cache} shuffles
 * and decodes, too.
 *
 * <p>In order, because {@code flatMap} of Reactor visits each of its inners when one ends. With 512 inners that took longer
 * than the tier.
 */
public final class RedisSpeed implements Benchmark {

    private static final String PASSWORD = "benchmark";
    private static final int GROUP_BYTES = 1 << 20;
    private static final int GROUPS = 4;
    private static final int MAX_KEYS = 128;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private record Work(int samples, int sampleBytes) {
        int group() {
            return Math.max(1, Math.min(MAX_KEYS, GROUP_BYTES / sampleBytes));
        }

        int inFlight() {
            return group() * GROUPS;
        }

        double bytes() {
            return (double) samples * sampleBytes;
        }

        @Override
        public String toString() {
            return "%,d x %,d B".formatted(samples, sampleBytes);
        }
    }

    @Override
    public String name() {
        return "redis";
    }

    @Override
    public List<Result> run(BenchOptions options) {
        return ScratchFolder.with(folder -> {
            int port = freePort();
            NodeServer server = NodeServer.ofBytes(2L << 30)
                    .executable(program(folder.resolve("program")))
                    .directory(folder.resolve("node"))
                    .listen("127.0.0.1", port);
            List<Result> results = new ArrayList<>();
            try (RedisTier tier = RedisTier.in(server)
                            .credentials("", PASSWORD)
                            .timeout(TIMEOUT)
                            .open();
                    RedisClient client = RedisClient.create(RedisURI.builder()
                            .withHost("127.0.0.1")
                            .withPort(port)
                            .withPassword(PASSWORD.toCharArray())
                            .build());
                    StatefulRedisConnection<byte[], byte[]> bare = client.connect(ByteArrayCodec.INSTANCE)) {
                results.addAll(measure(new Work(options.choose(4_000, 1_500), 150_528), tier, bare, options));
                results.addAll(measure(new Work(options.choose(100_000, 40_000), 1024), tier, bare, options));
            }
            return results;
        });
    }

    private static Path program(Path folder) throws IOException {
        Files.createDirectory(folder);
        Path file =
                ExecutableProvider.newJarResourceProvider(folder.toFile()).get().toPath();
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private List<Result> measure(
            Work work, RedisTier tier, StatefulRedisConnection<byte[], byte[]> bare, BenchOptions options) {
        byte[] value = new byte[work.sampleBytes];
        new SplittableRandom(work.sampleBytes).nextBytes(value);
        SampleKey[] keys = new SampleKey[work.samples];
        byte[][] names = new byte[work.samples][];
        for (int i = 0; i < work.samples; i++) {
            keys[i] = SampleKey.of("redis").with(i);
            names[i] = "bare:%026x:%08x".formatted(i, i).getBytes(StandardCharsets.US_ASCII);
        }
        Rounds rounds = options.rounds(
                "redis: " + work,
                2,
                options.choose(11, 5),
                List.of(
                        () -> emptied(bare, () -> write(tier, keys, value)),
                        () -> seconds(() -> read(work, tier, keys)),
                        () -> emptied(bare, () -> write(work, bare, names, value)),
                        () -> seconds(() -> readTogether(work, bare, names)),
                        () -> seconds(() -> read(work, bare, names))));
        return List.of(
                Result.of(work + ": tier, put", work.bytes() / rounds.median(0) / 1e6, "MB/s"),
                Result.of(work + ": bare, put", work.bytes() / rounds.median(2) / 1e6, "MB/s"),
                Result.of(work + ": put, of the bare client", 100 * rounds.medianRatio(2, 0), "%")
                        .atLeast(0, 85),
                Result.of(work + ": tier, get", work.bytes() / rounds.median(1) / 1e6, "MB/s"),
                Result.of(work + ": bare, get", work.bytes() / rounds.median(4) / 1e6, "MB/s"),
                Result.of(work + ": get, of the bare client", 100 * rounds.medianRatio(4, 1), "%")
                        .atLeast(0, 85),
                Result.of(work + ": bare, mget", work.bytes() / rounds.median(3) / 1e6, "MB/s"),
                Result.of(work + ": get, of the bare client's mget", 100 * rounds.medianRatio(3, 1), "%"));
    }

    private static double emptied(StatefulRedisConnection<byte[], byte[]> bare, Runnable work) {
        bare.sync().flushall();
        return seconds(work);
    }

    private static double seconds(Runnable work) {
        long started = System.nanoTime();
        work.run();
        return (System.nanoTime() - started) / 1e9;
    }

    private static void write(RedisTier tier, SampleKey[] keys, byte[] value) {
        Flux.fromArray(keys)
                .concatMap(key -> tier.put(key, Encoded.of(ByteBuffer.wrap(value)), Entry.UNKNOWN))
                .then(Mono.defer(tier::flush))
                .block();
    }

    private static void read(Work work, RedisTier tier, SampleKey[] keys) {
        long found = Flux.fromArray(keys)
                .flatMapSequential(tier::get, work.inFlight(), 1)
                .filter(bytes -> bytes.remaining() == work.sampleBytes)
                .count()
                .blockOptional()
                .orElse(0L);
        require(work.samples, found);
    }

    private static void write(Work work, StatefulRedisConnection<byte[], byte[]> bare, byte[][] names, byte[] value) {
        SetArgs ifAbsent = SetArgs.Builder.nx();
        pipelined(work, bare, names, name -> bare.async().set(name, value, ifAbsent))
                .then()
                .block();
    }

    private static void read(Work work, StatefulRedisConnection<byte[], byte[]> bare, byte[][] names) {
        long found = pipelined(work, bare, names, name -> bare.async().get(name))
                .filter(bytes -> bytes.length == work.sampleBytes)
                .count()
                .blockOptional()
                .orElse(0L);
        require(work.samples, found);
    }

    /** The answers to a command for each name, sent a group at a time. */
    private static <T> Flux<T> pipelined(
            Work work,
            StatefulRedisConnection<byte[], byte[]> bare,
            byte[][] names,
            Function<byte[], RedisFuture<T>> command) {
        return Flux.fromArray(names)
                .buffer(work.group())
                .doOnSubscribe(started -> bare.setAutoFlushCommands(false))
                .doFinally(ended -> bare.setAutoFlushCommands(true))
                .flatMap(
                        group -> {
                            List<CompletableFuture<T>> answers = new ArrayList<>();
                            for (byte[] name : group) {
                                answers.add(command.apply(name).toCompletableFuture());
                            }
                            bare.flushCommands();
                            return Mono.fromFuture(CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)))
                                    .thenMany(Flux.fromIterable(answers).map(CompletableFuture::join));
                        },
                        GROUPS);
    }

    private static void readTogether(Work work, StatefulRedisConnection<byte[], byte[]> bare, byte[][] names) {
        long found = Flux.fromArray(names)
                .buffer(work.group())
                .flatMap(
                        group -> Mono.fromCompletionStage(bare.async().mget(group.toArray(new byte[0][])))
                                .flatMapIterable(values -> values),
                        GROUPS)
                .filter(entry -> entry.hasValue() && entry.getValue().length == work.sampleBytes)
                .count()
                .blockOptional()
                .orElse(0L);
        require(work.samples, found);
    }

    private static void require(long wanted, long came) {
        if (wanted != came) {
            throw new IllegalStateException("%d samples were expected, %d came".formatted(wanted, came));
        }
    }
}

package io.penstock.cache.redis;

import io.penstock.cache.Fingerprint;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.pipeline.Dataset;
import io.penstock.stream.Sample;
import io.penstock.tensor.Codec;
import io.penstock.tensor.Encoded;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Mono;

/** A process that is one rank of a run over a shared server, and says what it loaded. */
final class Rank {

    /** Where a gated one waits for a byte: after a quarter of its run, a half and three quarters. */
    static final int GATES = 3;

    private Rank() {}

    static Process start(String mode, int rank, int world, int samples, int epochs, String uri) throws IOException {
        return java(Rank.class, mode, "" + rank, "" + world, "" + samples, "" + epochs, uri);
    }

    static Process java(Class<?> program, String... args) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+IgnoreUnrecognizedVMOptions",
                "--sun-misc-unsafe-memory-access=allow",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-Xmx128m",
                "-cp",
                System.getProperty("java.class.path"),
                program.getName()));
        command.addAll(List.of(args));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    public static void main(String[] args) throws IOException {
        PrintStream out =
                new PrintStream(new java.io.FileOutputStream(java.io.FileDescriptor.out), true, StandardCharsets.UTF_8);
        int rank = Integer.parseInt(args[1]);
        Shard shard = Shard.of(rank, Integer.parseInt(args[2]));
        Numbers numbers = new Numbers(Integer.parseInt(args[3]));
        try (RedisTier tier = RedisTier.at(args[5]).open()) {
            if (args[0].equals("use")) {
                out.println("using");
                Mono.never().block();
            }
            if (args[0].equals("hold")) {
                tier.lease(numbers.cached(tier).id(0).key()).block();
                out.println("holding");
                Mono.never().block();
            }
            Sampler sampler =
                    Sampler.shuffled(7).epochs(Integer.parseInt(args[4])).shard(shard);
            long gates = args[0].equals("gated") ? sampler.draws(numbers.size()).count() / 4 : Long.MAX_VALUE;
            long seen = 0;
            long wrong = 0;
            for (Sample<ByteBuffer> sample :
                    numbers.cached(tier).stream(sampler).toIterable(1)) {
                wrong += sample.value().equals(numbers.value(sample.draw().index())) ? 0 : 1;
                if (++seen % gates == 0 && seen <= GATES * gates) {
                    out.println("waiting");
                    System.in.read();
                }
            }
            out.println(seen + " " + numbers.loads.get() + " " + wrong);
        }
    }

    /** Numbers that take a while to load. */
    static final class Numbers implements Dataset<ByteBuffer> {
        final AtomicLong loads = new AtomicLong();
        private final int size;
        private final int bytes;

        Numbers(int size) {
            this(size, 2_000);
        }

        /** @param bytes of each, eight times a whole number */
        Numbers(int size, int bytes) {
            this.size = size;
            this.bytes = bytes;
        }

        Dataset<ByteBuffer> cached(RedisTier tier) {
            return cache(tier, new Bytes());
        }

        ByteBuffer value(long index) {
            ByteBuffer value = ByteBuffer.allocate(bytes);
            int longs = bytes / Long.BYTES;
            for (int i = 0; i < longs; i++) {
                value.putLong(index * longs + i);
            }
            return value.flip();
        }

        @Override
        public long size() {
            return size;
        }

        @Override
        public Fingerprint fingerprint() {
            return Fingerprint.of("numbers");
        }

        @Override
        public Mono<ByteBuffer> get(long index) {
            return Mono.delay(Duration.ofMillis(5)).map(waited -> {
                loads.incrementAndGet();
                return value(index);
            });
        }
    }

    /** As they are. */
    static final class Bytes implements Codec<ByteBuffer> {
        @Override
        public String id() {
            return "bytes";
        }

        @Override
        public Encoded encode(ByteBuffer value) {
            return Encoded.of(value);
        }

        @Override
        public ByteBuffer decode(ByteBuffer bytes) {
            return bytes.duplicate();
        }
    }
}

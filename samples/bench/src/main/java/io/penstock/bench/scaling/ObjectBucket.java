package io.penstock.bench.scaling;

import io.penstock.bench.BenchOptions;
import io.penstock.bench.Benchmark;
import io.penstock.bench.ChildProcess;
import io.penstock.bench.ProcessorTime;
import io.penstock.bench.Result;
import io.penstock.bench.Rounds;
import io.penstock.bench.ScratchFolder;
import io.penstock.folder.ImageFolder;
import io.penstock.store.StoreEntry;
import io.penstock.store.s3.S3Store;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import reactor.core.publisher.Flux;
import reactor.netty.http.client.HttpClient;

/**
 * A bucket of a million objects on a server in another process: listing it, starting again with the list that was kept,
 * and reading objects with 64 in flight beside a bare client that signs its requests by the same library.
 */
public final class ObjectBucket implements Benchmark {

    private static final int IN_FLIGHT = 64;
    private static final double MAX_LIST_SECONDS = 30;
    private static final double MAX_START_SECONDS = 1;
    private static final double MUST_REACH = 95;
    private static final int LATENCY_MILLIS = 20;

    private static final List<String> CREDENTIALS = List.of("-Daws.accessKeyId=key", "-Daws.secretAccessKey=secret");

    @Override
    public String name() {
        return "s3";
    }

    /** For the chain of credentials. */
    @Override
    public List<String> flags() {
        return CREDENTIALS;
    }

    @Override
    public List<Result> run(BenchOptions options) {
        int folders = options.choose(1000, 3);
        List<Result> results = new ArrayList<>();
        try (Server server = Server.start(folders, 0)) {
            options.progress().accept("s3, listing");
            results.addAll(ScratchFolder.with(scratch -> lists(server, scratch, folders)));
        }
        try (Server server = Server.start(folders, LATENCY_MILLIS)) {
            results.addAll(reads(options, server));
        }
        return results;
    }

    private static List<Result> lists(Server server, Path scratch, int folders) {
        double[] first = start(server, scratch, folders);
        long pages = server.pages();
        double[] second = start(server, scratch, folders);
        long again = server.pages() - pages;
        double[] third = start(server, scratch, folders);
        double process = Math.min(startProcess(server, scratch, folders), startProcess(server, scratch, folders));
        String objects = "%,d objects: ".formatted(folders * BucketServer.IN_FOLDER);
        return List.of(
                Result.of(objects + "pages of the list asked for", (double) pages, "pages"),
                Result.of(objects + "listed and opened", first[0], "s").atMost(0, MAX_LIST_SECONDS),
                Result.of(objects + "pages at the second start", (double) again, "pages")
                        .atMost(0, 1),
                Result.of(objects + "second start to the first batch of 64", Math.min(second[1], third[1]), "s")
                        .atMost(0, MAX_START_SECONDS),
                Result.of(objects + "the same in a new JVM, with its start", process, "s"));
    }

    /** Seconds from the start of a process to its end, which follows the first batch. */
    private static double startProcess(Server server, Path scratch, int folders) {
        List<String> command = ChildProcess.command(BucketStart.class, CREDENTIALS);
        command.addAll(
                List.of(server.endpoint, scratch.toString(), Integer.toString(folders * BucketServer.IN_FOLDER)));
        long began = System.nanoTime();
        try {
            if (!ChildProcess.run(command.toArray(String[]::new))) {
                throw new IllegalStateException("a start in a new JVM failed");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        return seconds(began);
    }

    /** Seconds until the folder is open, and until the first batch. */
    private static double[] start(Server server, Path scratch, int folders) {
        long began = System.nanoTime();
        try (S3Store store = server.store().keepingLists(scratch)) {
            ImageFolder images = ImageFolder.open(store);
            double open = seconds(began);
            BucketStart.require(images, (long) folders * BucketServer.IN_FOLDER);
            BucketStart.readBatch(images);
            return new double[] {open, seconds(began)};
        }
    }

    private static double seconds(long began) {
        return (System.nanoTime() - began) / 1e9;
    }

    private static List<Result> reads(BenchOptions options, Server server) {
        int reads = options.choose(8_000, 200);
        URI object = URI.create(server.endpoint + "/%s/set/00000/000.jpg".formatted(BucketServer.BUCKET));
        try (BareObjects bare = new BareObjects(IN_FLIGHT);
                S3Store store = server.store()) {
            StoreEntry known =
                    Objects.requireNonNull(store.entry("00000/000.jpg").block(), "an object");
            Flux<?> unsigned = Flux.range(0, reads).flatMap(at -> bare.read(object), IN_FLIGHT);
            Flux<?> signed = Flux.range(0, reads).flatMap(at -> bare.readSigned(object), IN_FLIGHT);
            Flux<?> stored = Flux.range(0, reads).flatMap(at -> store.read(known), IN_FLIGHT);
            Rounds rate = options.rounds(
                    "s3, reading",
                    1,
                    options.choose(7, 1),
                    List.of(() -> rate(reads, unsigned), () -> rate(reads, signed), () -> rate(reads, stored)));
            Rounds processor = options.rounds(
                    "s3, processor time",
                    1,
                    options.choose(5, 1),
                    List.of(
                            () -> ProcessorTime.seconds(() -> rate(reads, signed)),
                            () -> ProcessorTime.seconds(() -> rate(reads, stored))));
            String what = "objects of 32 KiB after %d ms, 64 in flight".formatted(LATENCY_MILLIS);
            return List.of(
                    Result.of(what + ", by a bare client that signs nothing", rate.median(0), "objects/s"),
                    Result.of(what + ", by a bare client that signs", rate.median(1), "objects/s"),
                    Result.of(what + ", by the store", rate.median(2), "objects/s"),
                    Result.of(what + ": of the bare client's that signs", 100 * rate.medianRatio(2, 1), "%")
                            .atLeast(0, MUST_REACH),
                    Result.of("processor time of a read, bare and signed", processor.median(0) / reads * 1e6, "µs"),
                    Result.of("processor time of a read, by the store", processor.median(1) / reads * 1e6, "µs"));
        }
    }

    private static double rate(int reads, Flux<?> work) {
        long began = System.nanoTime();
        Long done = work.count().block();
        if (done == null || done != reads) {
            throw new IllegalStateException("read %d of %d objects".formatted(done, reads));
        }
        return reads / seconds(began);
    }

    /** The server's process, which ends with its input. */
    private static final class Server implements AutoCloseable {

        private final Process process;
        private final String endpoint;

        private Server(Process process, String endpoint) {
            this.process = process;
            this.endpoint = endpoint;
        }

        static Server start(int folders, int latencyMillis) {
            List<String> command = ChildProcess.command(BucketServer.class, List.of());
            command.addAll(List.of(Integer.toString(folders), Integer.toString(latencyMillis)));
            try {
                Process process = new ProcessBuilder(command)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
                BufferedReader told =
                        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
                String port = told.readLine();
                if (port == null) {
                    throw new IllegalStateException("the server did not start");
                }
                return new Server(process, "http://127.0.0.1:" + port);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        S3Store store() {
            return BucketStart.store(endpoint);
        }

        long pages() {
            String told = HttpClient.create()
                    .baseUrl(endpoint)
                    .get()
                    .uri(BucketServer.PAGES)
                    .responseContent()
                    .aggregate()
                    .asString()
                    .block();
            return Long.parseLong(Objects.requireNonNull(told, "a number"));
        }

        @Override
        public void close() {
            process.destroy();
        }
    }
}

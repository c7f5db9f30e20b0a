package io.penstock.programs;

import io.penstock.arrow.ArrowFile;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.cache.kryo.KryoCodec;
import io.penstock.cache.redis.RedisTier;
import io.penstock.image.ImageDecoder;
import io.penstock.kafka.KafkaTail;
import io.penstock.kafka.KafkaTopic;
import io.penstock.manifest.ManifestDataset;
import io.penstock.pipeline.Dataset;
import io.penstock.quarantine.QuarantineFile;
import io.penstock.serve.BatchFeed;
import io.penstock.serve.ServerPlan;
import io.penstock.serve.client.RemoteBatches;
import io.penstock.store.FileStore;
import io.penstock.store.http.HttpStore;
import io.penstock.store.s3.S3Address;
import io.penstock.store.s3.S3Store;
import io.penstock.table.Row;
import io.penstock.table.Table;
import io.penstock.table.TableFormat;
import io.penstock.table.TableOptions;
import io.penstock.text.TextLines;
import io.penstock.token.BpeTokenizer;
import io.penstock.token.JsonTokenizer;
import io.penstock.write.TarWriter;
import io.penstock.write.kafka.KafkaWriter;
import io.penstock.zarr.ZarrArray;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;

/**
 * A program of its own: uses features that need an optional library, and features beside them that do not. It prints
 * what they throw or give.
 */
final class WithoutLibraries {

    private static final String ZARR =
            "{\"zarr_format\":2,\"shape\":[3],\"chunks\":[3],\"dtype\":\"|u1\",\"compressor\":%s,\"fill_value\":0,"
                    + "\"order\":\"C\",\"filters\":null}";

    private record Use(Callable<?> feature, String printed) {}

    private WithoutLibraries() {}

    private static List<Use> uses(Path folder) {
        return List.of(
                new Use(
                        () -> ChronicleTier.at(folder.resolve("cache")).open(),
                        "ChronicleTier needs Chronicle Queue on the class path; add net.openhft:chronicle-queue:2026.4"),
                new Use(
                        () -> HttpStore.at(URI.create("http://localhost/")),
                        "HttpStore needs Reactor Netty on the class path; add"
                                + " io.projectreactor.netty:reactor-netty-http:1.3.7"),
                new Use(
                        () -> ManifestDataset.open(URI.create("http://localhost/manifest")),
                        "HttpStore needs Reactor Netty on the class path; add"
                                + " io.projectreactor.netty:reactor-netty-http:1.3.7"),
                new Use(
                        () -> S3Store.at(S3Address.parse("s3://bucket/prefix")),
                        "S3Store needs the AWS SDK on the class path; add software.amazon.awssdk:auth:2.57.8 and"
                                + " software.amazon.awssdk:http-auth-aws:2.57.8"),
                new Use(
                        () -> KafkaTopic.open("frames", Map.of()),
                        "KafkaTopic needs Kafka's client on the class path; add org.apache.kafka:kafka-clients:4.3.1"),
                new Use(
                        () -> KafkaTail.of("frames", Map.of()),
                        "KafkaTail needs Kafka's client on the class path; add org.apache.kafka:kafka-clients:4.3.1"),
                new Use(
                        () -> KafkaWriter.of("frames", Map.of(), value -> new byte[0]),
                        "KafkaWriter needs Kafka's client on the class path; add org.apache.kafka:kafka-clients:4.3.1"),
                new Use(
                        () -> zarr(folder, "{\"id\":\"zstd\",\"level\":1}"),
                        "codec \"zstd\" needs zstd-jni on the class path; add com.github.luben:zstd-jni:1.5.7-28"),
                new Use(
                        () -> zarr(folder, "{\"id\":\"lz4\"}"),
                        "codec \"lz4\" needs lz4-java on the class path; add at.yawk.lz4:lz4-java:1.14.0"),
                new Use(
                        () -> zarr(folder, "{\"id\":\"blosc\",\"cname\":\"zstd\",\"clevel\":5,\"shuffle\":1}"),
                        "codec \"blosc with zstd\" needs zstd-jni on the class path; add"
                                + " com.github.luben:zstd-jni:1.5.7-28"),
                new Use(() -> zarr(folder, "{\"id\":\"zlib\",\"level\":1}"), "[2]"),
                new Use(
                        () -> csv(Files.writeString(folder.resolve("some.csv.zst"), "no zstd")),
                        "a file in zstd needs zstd-jni on the class path; add com.github.luben:zstd-jni:1.5.7-28"),
                new Use(() -> csv(gzip(folder.resolve("some.csv.gz"), "a,b\n1,2\n")), "2"),
                new Use(
                        () -> TextLines.open(gzip(folder.resolve("some.txt.gz"), "one\ntwo\n"))
                                .size(),
                        "2"),
                new Use(
                        () -> ManifestDataset.open(
                                        FileStore.open(folder),
                                        Files.writeString(folder.resolve("list"), "{\"key\":\"some.csv.gz\"}\n")
                                                .getFileName()
                                                .toString())
                                .size(),
                        "1"),
                new Use(
                        () -> Table.open(
                                Files.writeString(folder.resolve("some.parquet"), "PAR1"),
                                TableFormat.parquet(),
                                TableOptions.standard()),
                        "a Parquet file needs Parquet on the class path; add org.apache.parquet:parquet-column:1.18.1"
                                + " and org.apache.parquet:parquet-format-structures:1.18.1"),
                new Use(
                        () -> Table.open(
                                Files.writeString(folder.resolve("some.arrow"), "ARROW1"),
                                TableFormat.arrow(),
                                TableOptions.standard()),
                        "an Arrow file needs Arrow on the class path; add org.apache.arrow:arrow-format:19.0.0"),
                new Use(
                        () -> ArrowFile.at(folder.resolve("out.arrow")),
                        "ArrowFile needs Arrow on the class path; add org.apache.arrow:arrow-format:19.0.0"),
                new Use(
                        () -> TarWriter.of(Row.schema(List.of("a"))),
                        "TarWriter needs Commons Compress on the class path; add"
                                + " org.apache.commons:commons-compress:1.28.0"),
                new Use(
                        () -> RemoteBatches.of(List.of(URI.create("http://localhost:1/"))),
                        "RemoteBatches needs Arrow on the class path; add org.apache.arrow:arrow-format:19.0.0"),
                new Use(
                        () -> ServerPlan.of(feed()).start(),
                        "BatchServer needs Reactor Netty on the class path; add"
                                + " io.projectreactor.netty:reactor-netty-http:1.3.7"),
                new Use(
                        () -> KryoCodec.of(String.class),
                        "KryoCodec needs Kryo on the class path; add com.esotericsoftware.kryo:kryo5:5.6.2"),
                new Use(
                        () -> RedisTier.at("redis://localhost:1").open(),
                        "RedisTier needs Lettuce on the class path; add io.lettuce:lettuce-core:7.7.0.RELEASE"),
                new Use(
                        () -> BpeTokenizer.of("cl100k_base"),
                        "BpeTokenizer needs JTokkit on the class path; add com.knuddels:jtokkit:1.1.0"),
                new Use(
                        () -> JsonTokenizer.open(folder.resolve("tokenizer.json")),
                        "JsonTokenizer needs DJL's tokenizers on the class path; add"
                                + " ai.djl.huggingface:tokenizers:0.36.0"),
                new Use(() -> ImageDecoder.fastest().id().startsWith("jdk "), "true"),
                new Use(() -> QuarantineFile.read(Files.createFile(folder.resolve("quarantine"))), "[]"));
    }

    private static Object zarr(Path folder, String compressor) throws IOException {
        Path array = Files.createDirectories(folder.resolve("array"));
        Files.writeString(array.resolve(".zarray"), ZARR.formatted(compressor));
        ByteArrayOutputStream chunk = new ByteArrayOutputStream();
        try (OutputStream zlib = new DeflaterOutputStream(chunk)) {
            zlib.write(new byte[] {1, 2, 3});
        }
        Files.write(array.resolve("0"), chunk.toByteArray());
        return ZarrArray.open(FileStore.open(folder), "array")
                .flatMap(open -> open.rows().get(1))
                .map(row -> Arrays.toString(row.toByteArray()))
                .block();
    }

    private static Object csv(Path file) {
        Dataset<Row> table =
                Table.open(file, TableFormat.csv(), TableOptions.standard().columns("a", "b"));
        return table.get(0)
                .map(row -> new String(row.tensor("b").toByteArray(), StandardCharsets.UTF_8))
                .block();
    }

    /** One that no server gets to ask. */
    private static BatchFeed feed() {
        Class<?>[] types = {BatchFeed.class};
        return (BatchFeed)
                Proxy.newProxyInstance(WithoutLibraries.class.getClassLoader(), types, (feed, method, with) -> {
                    throw new UnsupportedOperationException("of " + method);
                });
    }

    private static Path gzip(Path file, String text) throws IOException {
        try (OutputStream gzip = new GZIPOutputStream(Files.newOutputStream(file))) {
            gzip.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return file;
    }

    /** What it prints, a line for each feature. */
    static List<String> expected() {
        return uses(Path.of("")).stream().map(Use::printed).toList();
    }

    @SuppressWarnings("SystemOut")
    public static void main(String[] arguments) {
        for (Use use : uses(Path.of(arguments[0]))) {
            try {
                System.out.println(use.feature.call());
            } catch (Throwable e) {
                System.out.println(e.getMessage());
            }
        }
    }
}

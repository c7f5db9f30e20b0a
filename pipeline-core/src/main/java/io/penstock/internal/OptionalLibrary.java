package io.penstock.internal;

import java.util.List;

/**
 * A library that only some programs need, and so declare themselves. A feature calls {@link #require} before it loads a
 * class of the library: what it would get otherwise is a {@code NoClassDefFoundError}, which Reactor rethrows.
 *
 * <p>A test holds the versions to those of the build.
 */
public enum OptionalLibrary {
    ARROW("Arrow", "org.apache.arrow.flatbuf.Message", "org.apache.arrow:arrow-format:19.0.0"),
    AWS(
            "the AWS SDK",
            "software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner",
            "software.amazon.awssdk:auth:2.57.8",
            "software.amazon.awssdk:http-auth-aws:2.57.8"),
    CHRONICLE("Chronicle Queue", "net.openhft.chronicle.queue.ChronicleQueue", "net.openhft:chronicle-queue:2026.4"),
    COMPRESS(
            "Commons Compress",
            "org.apache.commons.compress.archivers.ArchiveEntry",
            "org.apache.commons:commons-compress:1.28.0"),
    HASH4J("hash4j", "com.dynatrace.hash4j.hashing.Hashing", "com.dynatrace.hash4j:hash4j:0.31.0"),
    JHDF("jhdf", "io.jhdf.HdfFile", "io.jhdf:jhdf:0.13.0"),
    JTOKKIT("JTokkit", "com.knuddels.jtokkit.Encodings", "com.knuddels:jtokkit:1.1.0"),
    KAFKA("Kafka's client", "org.apache.kafka.clients.consumer.KafkaConsumer", "org.apache.kafka:kafka-clients:4.3.1"),
    KRYO("Kryo", "com.esotericsoftware.kryo.kryo5.Kryo", "com.esotericsoftware.kryo:kryo5:5.6.2"),
    LETTUCE("Lettuce", "io.lettuce.core.RedisClient", "io.lettuce:lettuce-core:7.7.0.RELEASE"),
    LZ4("lz4-java", "net.jpountz.lz4.LZ4Factory", "at.yawk.lz4:lz4-java:1.14.0"),
    OPENCV(
            "OpenCV",
            "org.bytedeco.opencv.opencv_core.Mat",
            "org.bytedeco:javacpp:1.5.13",
            "org.bytedeco:openblas:0.3.31-1.5.13",
            "org.bytedeco:opencv:4.13.0-1.5.13"),
    OPENDAL("OpenDAL", "org.apache.opendal.AsyncOperator", "org.apache.opendal:opendal:0.48.2"),
    PARQUET(
            "Parquet",
            "org.apache.parquet.format.FileMetaData",
            "org.apache.parquet:parquet-column:1.18.1",
            "org.apache.parquet:parquet-format-structures:1.18.1"),
    REACTOR_NETTY(
            "Reactor Netty",
            "reactor.netty.http.client.HttpClient",
            "io.projectreactor.netty:reactor-netty-http:1.3.7"),
    SKETCHES("DDSketch", "com.datadoghq.sketch.ddsketch.DDSketch", "com.datadoghq:sketches-java:0.8.3"),
    SNAPPY("snappy-java", "org.xerial.snappy.Snappy", "org.xerial.snappy:snappy-java:1.1.10.12"),
    TOKENIZERS(
            "DJL's tokenizers",
            "ai.djl.huggingface.tokenizers.HuggingFaceTokenizer",
            "ai.djl.huggingface:tokenizers:0.36.0"),
    XZ("XZ for Java", "org.tukaani.xz.XZInputStream", "org.tukaani:xz:1.12"),
    ZSTD("zstd-jni", "com.github.luben.zstd.Zstd", "com.github.luben:zstd-jni:1.5.7-28");

    private final String label;
    private final String type;

    @SuppressWarnings("ImmutableEnumChecker") // of List.of
    private final List<String> artifacts;

    OptionalLibrary(String label, String type, String... artifacts) {
        this.label = label;
        this.type = type;
        this.artifacts = List.of(artifacts);
    }

    /** What a program adds: {@code group:artifact:version}. */
    public List<String> artifacts() {
        return artifacts;
    }

    /** Requires the library of a class that is named for the feature; see {@link #require(String, Class)}. */
    public void require(Class<?> feature) {
        require(feature.getSimpleName(), feature);
    }

    /**
     * Fails if the library is not on the class path.
     * @param feature for the message
     * @param caller  whose class loader is to find it
     * @throws IllegalStateException naming the artifacts to add
     */
    public void require(String feature, Class<?> caller) {
        try {
            Class.forName(type, false, caller.getClassLoader());
        } catch (ClassNotFoundException | NoClassDefFoundError e) {
            throw new IllegalStateException(
                    "%s needs %s on the class path; add %s".formatted(feature, label, String.join(" and ", artifacts)),
                    e);
        }
    }
}

package io.penstock.programs;

import io.penstock.cli.Cli;
import io.penstock.cli.CliProcess;
import io.penstock.store.s3.S3Address;
import io.penstock.store.s3.S3Store;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.auth.AuthenticationType;
import org.gaul.s3proxy.nio2blob.TransientNio2BlobStore;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;

/**
 * The bucket {@code data} on s3proxy, a server of S3 that others wrote and that checks signatures, in this process.
 * Commands of this process find the credentials among the system properties, others in their environment.
 */
final class TestBucket implements AutoCloseable {

    static final String NAME = "data";

    private static final String KEY = "aws.accessKeyId";
    private static final String SECRET = "aws.secretAccessKey";

    private final TransientNio2BlobStore blobs = new TransientNio2BlobStore();
    private final S3Proxy server;

    private TestBucket() {
        server = S3Proxy.builder()
                .blobStore(blobs)
                .endpoint(URI.create("http://127.0.0.1:0"))
                .awsAuthentication(AuthenticationType.AWS_V4, "key", "secret")
                .build();
    }

    static TestBucket start() throws Exception {
        TestBucket bucket = new TestBucket();
        bucket.server.start();
        bucket.blobs.createContainer(NAME);
        System.setProperty(KEY, "key");
        System.setProperty(SECRET, "secret");
        return bucket;
    }

    void put(String key, byte[] bytes) {
        PutObjectRequest put = PutObjectRequest.builder()
                .bucket(NAME)
                .key(key)
                .contentLength((long) bytes.length)
                .build();
        blobs.putBlob(put, new ByteArrayInputStream(bytes));
    }

    S3Store store(String prefix) {
        return S3Store.at(S3Address.parse(address("s3://%s/%s".formatted(NAME, prefix))));
    }

    /** Sizes and versions of the objects below a prefix, by their keys. */
    Map<String, String> list(String prefix) {
        Map<String, String> found = new TreeMap<>();
        try (S3Store store = store(prefix)) {
            store.list((key, size, version) -> found.put(key, size + " " + version));
        }
        return found;
    }

    /** The uploads that were begun, and neither completed nor aborted. */
    int unfinishedUploads() {
        return blobs.listMultipartUploads(NAME).size();
    }

    /** An address with this server's. */
    private String address(String text) {
        return text.replaceFirst("(s3://[^#]+)", "$1?endpoint=http://127.0.0.1:" + server.getPort());
    }

    /** Runs a command in this process, its addresses with this server's. */
    Cli run(List<String> words) {
        return Cli.run(words.stream().map(this::address).toArray(String[]::new));
    }

    /** Starts a command in a process of its own, with this server in its environment. */
    Process start(List<String> words) throws IOException {
        List<String> command = CliProcess.command();
        command.add("io.penstock.cli.Main");
        command.addAll(words);
        return start(new ArrayList<>(command), ProcessBuilder.Redirect.INHERIT);
    }

    /** Starts a program with this server in its environment. */
    Process start(List<String> command, ProcessBuilder.Redirect err) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(err);
        builder.environment()
                .putAll(Map.of(
                        "AWS_ACCESS_KEY_ID",
                        "key",
                        "AWS_SECRET_ACCESS_KEY",
                        "secret",
                        "AWS_ENDPOINT_URL_S3",
                        "http://127.0.0.1:" + server.getPort()));
        return builder.start();
    }

    @Override
    public void close() {
        System.clearProperty(KEY);
        System.clearProperty(SECRET);
        try {
            server.stop();
        } catch (Exception failure) { // as Jetty declares it
            throw new AssertionError("the server of buckets does not stop", failure);
        }
        blobs.close();
    }
}

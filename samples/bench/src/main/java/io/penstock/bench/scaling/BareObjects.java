package io.penstock.bench.scaling;

import java.net.URI;
import java.util.Map;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.ConnectionProvider;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4FamilyHttpSigner;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;

/** Reactor Netty and the SDK's signer, and nothing between them: no retries, no limits, no checks of what comes. */
final class BareObjects implements AutoCloseable {

    private static final AwsCredentialsIdentity CREDENTIALS = AwsCredentialsIdentity.create("key", "secret");

    private final ConnectionProvider connections;
    private final HttpClient client;
    private final AwsV4HttpSigner signer = AwsV4HttpSigner.create();

    BareObjects(int connections) {
        this.connections = ConnectionProvider.create("bare", connections);
        this.client = HttpClient.create(this.connections);
    }

    /** The bytes of an object. */
    Mono<byte[]> read(URI address) {
        return client.get().uri(address).responseSingle((head, body) -> body.asByteArray());
    }

    /** The same with a signature, made for this request. */
    Mono<byte[]> readSigned(URI address) {
        return client.headers(headers -> signature(address).forEach(headers::set))
                .get()
                .uri(address)
                .responseSingle((head, body) -> body.asByteArray());
    }

    private Map<String, ? extends Iterable<String>> signature(URI address) {
        SdkHttpRequest request =
                SdkHttpRequest.builder().method(SdkHttpMethod.GET).uri(address).build();
        return signer.sign(sign -> sign.identity(CREDENTIALS)
                        .request(request)
                        .putProperty(AwsV4FamilyHttpSigner.SERVICE_SIGNING_NAME, "s3")
                        .putProperty(AwsV4HttpSigner.REGION_NAME, "us-east-1")
                        .putProperty(AwsV4FamilyHttpSigner.DOUBLE_URL_ENCODE, false)
                        .putProperty(AwsV4FamilyHttpSigner.NORMALIZE_PATH, false)
                        .putProperty(AwsV4FamilyHttpSigner.PAYLOAD_SIGNING_ENABLED, false))
                .request()
                .headers();
    }

    @Override
    public void close() {
        connections.dispose();
    }
}

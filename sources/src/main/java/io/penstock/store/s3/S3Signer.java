package io.penstock.store.s3;

import io.netty.buffer.ByteBufInputStream;
import io.netty.buffer.Unpooled;
import io.penstock.fault.StoreException;
import io.penstock.internal.GuardedScheduler;
import io.penstock.store.http.internal.RequestSigner;
import io.penstock.stream.Execution;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.http.ContentStreamProvider;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4FamilyHttpSigner;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;

/**
 * Signs with the credentials of a provider, which keeps them and renews them before they end.
 *
 * <p>A provider may block, so it is asked on a thread that may. It is asked once a second at most: a thread for each
 * request would cost more than the signature. Where the server says that credentials have ended, they are dropped with
 * their provider, and a new one is asked. If that has the same ones, no other is made for them.
 */
final class S3Signer implements RequestSigner {

    private static final Duration KEPT = Duration.ofSeconds(1);
    private static final int MAX_ON_LOOP = 64 << 10;

    private final AwsV4HttpSigner signer = AwsV4HttpSigner.create();
    private final Supplier<? extends AwsCredentialsProvider> providers;
    private static final int MAX_REASON = 200;

    private final String region;
    private final Map<String, String> also;
    private final Object dropping = new Object();
    private volatile Held held;

    /**
     * Signs for one region.
     * @param providers makes providers that keep nothing of each other
     * @param also      more headers, which are signed too
     */
    S3Signer(Supplier<? extends AwsCredentialsProvider> providers, String region, Map<String, String> also) {
        this.providers = providers;
        this.region = region;
        this.also = also;
        this.held = new Held(providers.get(), "");
    }

    /** What a provider gives. */
    private static final class Held {

        final Mono<AwsCredentialsIdentity> credentials;
        final String refused; // the access key of credentials that had ended before
        volatile String key = ""; // of those that came last

        Held(AwsCredentialsProvider provider, String refused) {
            this.refused = refused;
            this.credentials = Mono.<AwsCredentialsIdentity>fromCallable(provider::resolveCredentials)
                    .subscribeOn(GuardedScheduler.ELASTIC)
                    .onErrorMap(SdkException.class, S3Signer::without)
                    .doOnNext(identity -> key = identity.accessKeyId())
                    .cache(identity -> KEPT, failure -> Duration.ZERO, () -> Duration.ZERO);
        }
    }

    /**
     * The usual chain: environment, profile, container, instance. It is made here and not by the store, whose class has to
     * load where the library is missing.
     */
    static AwsCredentialsProvider credentials() {
        return DefaultCredentialsProvider.builder().build();
    }

    /** The chain tells of each place where it has looked; its words are left to the cause. */
    private static StoreException without(SdkException e) {
        String reason = String.valueOf(e.getMessage());
        boolean isOfChain = reason.startsWith("Unable to load credentials from any of the providers");
        return new StoreException(
                "no credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or add ?unsigned=true"
                        + " to the address of a public bucket"
                        + (isOfChain ? "" : ": " + reason.substring(0, Math.min(MAX_REASON, reason.length()))),
                e);
    }

    @Override
    public Mono<Map<String, String>> headers(String method, URI address, ByteBuffer body) {
        Mono<AwsCredentialsIdentity> credentials = held.credentials;
        Mono<AwsCredentialsIdentity> known = body.remaining() <= MAX_ON_LOOP
                ? credentials
                : credentials.publishOn(Execution.standard().workers());
        return known.map(identity -> sign(identity, method, address, body));
    }

    @Override
    public void refused(Map<String, String> headers) {
        String signed = headers.getOrDefault("Authorization", "");
        synchronized (dropping) {
            String key = held.key;
            if (signed.contains("Credential=%s/".formatted(key)) && !key.equals(held.refused)) {
                held = new Held(providers.get(), key);
            }
        }
    }

    /** A body is part of the signature where TLS does not guard it. */
    private Map<String, String> sign(AwsCredentialsIdentity identity, String method, URI address, ByteBuffer body) {
        boolean signsBody = body.hasRemaining() && !"https".equalsIgnoreCase(address.getScheme());
        SdkHttpRequest.Builder request =
                SdkHttpRequest.builder().method(SdkHttpMethod.fromValue(method)).uri(address);
        also.forEach(request::putHeader);
        SdkHttpRequest signed = signer.sign(sign -> sign.identity(identity)
                        .request(request.build())
                        .payload(body.hasRemaining() ? content(body) : null)
                        .putProperty(AwsV4FamilyHttpSigner.SERVICE_SIGNING_NAME, "s3")
                        .putProperty(AwsV4HttpSigner.REGION_NAME, region)
                        .putProperty(AwsV4FamilyHttpSigner.DOUBLE_URL_ENCODE, false)
                        .putProperty(AwsV4FamilyHttpSigner.NORMALIZE_PATH, false)
                        .putProperty(AwsV4FamilyHttpSigner.PAYLOAD_SIGNING_ENABLED, signsBody))
                .request();
        Map<String, String> headers = new HashMap<>();
        signed.headers().forEach((name, values) -> headers.put(name, values.get(0)));
        headers.remove("Host"); // the client sets it
        return headers;
    }

    private static ContentStreamProvider content(ByteBuffer body) {
        return ContentStreamProvider.fromInputStreamSupplier(
                () -> new ByteBufInputStream(Unpooled.wrappedBuffer(body.duplicate())));
    }
}

package io.penstock.store.s3;

import io.penstock.fault.StoreException;
import java.net.URI;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.ServiceMetadata;
import software.amazon.awssdk.regions.providers.DefaultAwsRegionProviderChain;

/**
 * Where a bucket is.
 *
 * @param base   the address that its keys follow
 * @param name   of the bucket in every process, however its address is formed: {@code s3://BUCKET/}, and with an endpoint
 *     {@code s3+http://HOST:PORT/BUCKET/}, since servers may have buckets of equal names
 * @param region for the signature
 */
record S3Endpoint(URI base, String name, String region) {

    private static final String AWS = ".amazonaws.com"; // where names of buckets are given once
    private static final String ANY_REGION = "us-east-1";

    /**
     * By the options of an address, else by the environment, else by the profile.
     * @param environment values of variables
     */
    static S3Endpoint of(S3Address address, Function<String, @Nullable String> environment) {
        String endpoint = first(
                address.option(S3Address.ENDPOINT),
                environment.apply("AWS_ENDPOINT_URL_S3"),
                environment.apply("AWS_ENDPOINT_URL"));
        String region = first(
                address.option(S3Address.REGION),
                environment.apply("AWS_REGION"),
                environment.apply("AWS_DEFAULT_REGION"));
        if (region == null) {
            region = endpoint != null ? ANY_REGION : fromProfile(address);
        }
        URI host = endpoint == null
                ? URI.create("https://" + ServiceMetadata.of("s3").endpointFor(Region.of(region)))
                : URI.create(endpoint);
        if (host.getHost() == null) {
            throw new IllegalArgumentException(
                    "an endpoint is an address such as https://HOST:PORT, was \"%s\"".formatted(endpoint));
        }
        boolean pathStyle = address.option(S3Address.PATH_STYLE) == null
                ? endpoint != null || address.bucket().indexOf('.') >= 0 // no certificate covers more than one label
                : address.isOn(S3Address.PATH_STYLE);
        String port = host.getPort() < 0 ? "" : ":" + host.getPort();
        String path = host.getRawPath() == null ? "" : host.getRawPath().replaceAll("/+$", "");
        String base = pathStyle
                ? "%s://%s%s%s/%s/".formatted(host.getScheme(), host.getHost(), port, path, address.bucket())
                : "%s://%s.%s%s%s/".formatted(host.getScheme(), address.bucket(), host.getHost(), port, path);
        String name = host.getHost().toLowerCase(Locale.ROOT).endsWith(AWS)
                ? "s3://%s/".formatted(address.bucket())
                : "s3+%s://%s%s%s/%s/"
                        .formatted(
                                host.getScheme(),
                                host.getHost().toLowerCase(Locale.ROOT),
                                port,
                                path,
                                address.bucket());
        return new S3Endpoint(URI.create(base), name, region);
    }

    private static @Nullable String first(@Nullable String... values) {
        for (String value : values) {
            if (value != null && !value.isBlank()) {
                return value;
            }
        }
        return null;
    }

    private static String fromProfile(S3Address address) {
        try {
            return new DefaultAwsRegionProviderChain().getRegion().id();
        } catch (SdkException e) {
            throw new StoreException(
                    "cannot open %s: its region is not known; add ?region=… to the address, or set AWS_REGION"
                            .formatted(address),
                    e);
        }
    }
}

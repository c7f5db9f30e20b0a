package io.penstock.store.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class S3AddressTest {

    private static S3Endpoint endpoint(String text, Map<String, @Nullable String> environment) {
        return S3Endpoint.of(S3Address.parse(text), environment::get);
    }

    @Test
    void parse_patternAndOptions_areToldApart() {
        S3Address pattern = S3Address.parse("s3://bucket/a b/shard-??.tar?endpoint=http://h:9000&path-style=false");

        assertThat(pattern.key()).isEqualTo("a b/shard-??.tar");
        assertThat(pattern.name()).isEqualTo("shard-??.tar");
        assertThat(pattern.parent()).hasToString("s3://bucket/a b/");
        assertThat(pattern.options()).isEqualTo(Map.of("endpoint", "http://h:9000", "path-style", "false"));
        assertThat(S3Address.parse("s3://bucket/shard-??.tar").key()).isEqualTo("shard-??.tar");
        assertThat(S3Address.parse("s3://bucket").key()).isEmpty();
    }

    @Test
    void parse_whatIsNone_isRefused() {
        for (String text :
                new String[] {"s3://", "s3:///key", "s3://b/", "s3://bucket/x?nothing=1", "s3://bucket?unsigned=1"}) {
            assertThatThrownBy(() -> S3Address.parse(text)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void endpoint_ofS3_hasTheBucketInItsHost() {
        Map<String, @Nullable String> region = Map.of("AWS_REGION", "eu-west-1");

        assertThat(endpoint("s3://bucket/x", region).base()).hasToString("https://bucket.s3.eu-west-1.amazonaws.com/");
        assertThat(endpoint("s3://b.c/x", region).base()).hasToString("https://s3.eu-west-1.amazonaws.com/b.c/");
        assertThat(endpoint("s3://bucket/x?region=cn-north-1", region).base())
                .hasToString("https://bucket.s3.cn-north-1.amazonaws.com.cn/");
    }

    @Test
    void endpoint_ofAnotherServer_hasTheBucketInItsPath() {
        Map<String, @Nullable String> env =
                Map.of("AWS_ENDPOINT_URL", "http://h:1", "AWS_ENDPOINT_URL_S3", "http://s:2/");

        assertThat(endpoint("s3://bucket/x", env)).isEqualTo(endpoint("s3://bucket/x?endpoint=http://s:2", Map.of()));
        assertThat(endpoint("s3://bucket/x", env).base()).hasToString("http://s:2/bucket/");
        assertThat(endpoint("s3://bucket/x", env).region()).isEqualTo("us-east-1");
        assertThat(endpoint("s3://bucket/x", env).name()).isEqualTo("s3+http://s:2/bucket/");
        assertThat(endpoint("s3://bucket/x?path-style=false", env).name()).isEqualTo("s3+http://s:2/bucket/");
        assertThat(endpoint("s3://bucket/x?endpoint=https://s3.eu-west-1.amazonaws.com", env)
                        .name())
                .isEqualTo("s3://bucket/");
        assertThat(endpoint("s3://bucket/x?path-style=false", env).base()).hasToString("http://bucket.s:2/");
    }
}

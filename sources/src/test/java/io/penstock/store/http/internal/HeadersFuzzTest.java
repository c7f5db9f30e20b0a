package io.penstock.store.http.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpHeaders;
import io.penstock.kit.Hostile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.params.provider.MethodSource;

/** What servers and their bodies say, and keys that are to stay below an address. */
class HeadersFuzzTest {

    private static final int MAX = 1 << 20;
    private static final BaseAddress BASE = BaseAddress.of(URI.create("https://user:secret@host/base/"));

    @MethodSource("headers")
    @FuzzTest(maxDuration = "10m")
    void header_ofAnyText_isReadOrPassedOver(byte[] input) {
        String text = new String(input, StandardCharsets.ISO_8859_1);
        ContentRange range = ContentRange.parse(text);
        if (range != null && range.first() >= 0) {
            assertThat(range.last()).isGreaterThanOrEqualTo(range.first());
        }
        HttpHeaders headers = DefaultHttpHeadersFactory.headersFactory()
                .withValidation(false)
                .newHeaders()
                .set("Retry-After", text)
                .set("Content-Length", text)
                .set("ETag", text)
                .set("Last-Modified", text)
                .set("Date", "Wed, 21 Oct 2015 07:28:00 GMT");
        Exchanges.Reply reply = new Exchanges.Reply(503, headers);
        assertThat(Statuses.length(reply)).isGreaterThanOrEqualTo(-1);
        assertThat(Statuses.fault(reply).getMessage()).isNotBlank();
        Validator validator = Validator.of(headers);
        assertThat(validator.version() & 3).isEqualTo(1);
        assertThat(validator.strong()).isIn(text, null);
        assertThat(Words.plain(text)).hasSizeLessThanOrEqualTo(201);
        assertThat(Words.of(new IOException(text))).isNotBlank();
    }

    @MethodSource("keys")
    @FuzzTest(maxDuration = "10m")
    void key_ofAnyText_staysBelowTheBaseOrIsRefused(byte[] input) {
        String key = new String(input, StandardCharsets.UTF_8);
        Hostile.bytes(() -> {
            URI address = BASE.of(key);
            assertThat(address.normalize()).isEqualTo(address);
            assertThat(address.toString()).startsWith("https://host/base/").doesNotContain("secret");
            assertThat(address.getRawQuery()).isNull();
        });
    }

    /** The first byte chooses the encoding. */
    @MethodSource("bodies")
    @FuzzTest(maxDuration = "10m")
    void body_ofAnyBytes_isInflatedWithinItsLimitOrRefused(byte[] input) {
        if (input.length == 0) {
            return;
        }
        List<Inflation> known = List.of(Inflation.values());
        Inflation inflation = known.get((input[0] & 0xFF) % known.size());
        byte[] body = Arrays.copyOfRange(input, 1, input.length);
        try {
            assertThat(inflation.inflate(body, body.length, MAX)).hasSizeLessThanOrEqualTo(MAX);
        } catch (HttpFault refused) {
            assertThat(refused.getMessage()).isNotBlank();
        }
    }

    static Stream<byte[]> headers() {
        return Stream.of(
                        "bytes */10 bytes=-5 bytes=5- 999999999999999999 Sun, 31 Dec 999999999 23:59:59 GMT gzip deflate",
                        "%2e%2e/ http:// NaN",
                        "bytes 0-9/10",
                        "bytes=5-9",
                        "120",
                        "Wed, 21 Oct 2015 07:28:10 GMT",
                        "W/\"abc-gzip\"")
                .map(text -> text.getBytes(StandardCharsets.ISO_8859_1));
    }

    static Stream<byte[]> keys() {
        return Stream.of("%2e%2e/ %252e ../ http: \\ % + // ü", "a/b c.jpg", "a/%2e%2e/b", "ü/%41+")
                .map(text -> text.getBytes(StandardCharsets.UTF_8));
    }

    static Stream<byte[]> bodies() throws IOException {
        return Stream.of(packed(1), packed(2), new byte[] {0, 1, 2});
    }

    private static byte[] packed(int encoding) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(encoding);
        try (OutputStream out = encoding == 1 ? new GZIPOutputStream(bytes) : new DeflaterOutputStream(bytes)) {
            out.write(new byte[200]);
        }
        return bytes.toByteArray();
    }
}

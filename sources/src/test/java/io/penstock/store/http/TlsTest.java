package io.penstock.store.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.penstock.fault.StoreException;
import java.io.InputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

@ExtendWith(NoLeaks.class)
class TlsTest {

    private static final ConcurrentLinkedQueue<String> PLAIN_CREDENTIALS = new ConcurrentLinkedQueue<>();

    private static X509Certificate certificate;
    private static DisposableServer plain;
    private static DisposableServer secure;

    @BeforeAll
    static void serve(@TempDir Path folder) throws Exception {
        Path store = folder.resolve("keys.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "k",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-validity",
                        "2",
                        "-ext",
                        "san=dns:localhost",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        "changeit",
                        "-keystore",
                        store.toString())
                .inheritIO()
                .start();
        assertThat(keytool.waitFor(300, TimeUnit.SECONDS)).isTrue();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, "changeit".toCharArray());
        }
        certificate = (X509Certificate) keys.getCertificate("k");
        PrivateKey key = (PrivateKey) keys.getKey("k", "changeit".toCharArray());
        SslContext context = SslContextBuilder.forServer(key, certificate).build();
        plain = HttpServer.create()
                .host("127.0.0.1")
                .port(0)
                .handle((request, response) -> {
                    PLAIN_CREDENTIALS.add(
                            String.valueOf(request.requestHeaders().get("Authorization")));
                    return response.sendRedirect("https://localhost:" + secure.port() + request.uri());
                })
                .bindNow();
        secure = HttpServer.create()
                .host("127.0.0.1")
                .port(0)
                .secure(spec -> spec.sslContext(context))
                .handle((request, response) -> request.uri().equals("/down")
                        ? response.sendRedirect("http://localhost:" + plain.port() + "/up")
                        : response.sendString(
                                Mono.just("secure " + request.requestHeaders().get("Authorization"))))
                .bindNow();
    }

    @AfterAll
    static void stop() {
        plain.disposeNow();
        secure.disposeNow();
    }

    private static HttpOptions trusting() {
        return HttpOptions.standard().trusting(List.of(certificate)).bearer(Mono.just("token"));
    }

    private static String find(String address, HttpOptions options, String key) {
        try (HttpStore store = HttpStore.at(URI.create(address), options)) {
            ByteBuffer read = store.find(key, 1000).block();
            return StandardCharsets.UTF_8.decode(read).toString();
        }
    }

    @Test
    void https_ofATrustedCertificate_isRead() {
        assertThat(find("https://localhost:" + secure.port(), trusting(), "a")).isEqualTo("secure Bearer token");
    }

    @Test
    void https_ofAnUnknownCertificate_isRefusedAtOnce() {
        assertThatThrownBy(() -> find("https://localhost:" + secure.port(), HttpOptions.standard(), "a"))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("attempt 1 of 8")
                .hasMessageContaining("TLS handshake failed");
    }

    @Test
    void https_ofAnotherHostsCertificate_isRefused() {
        assertThatThrownBy(() -> find("https://127.0.0.1:" + secure.port(), trusting(), "a"))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("TLS handshake failed");
    }

    @Test
    void redirect_fromHttpsToHttp_isRefused() {
        PLAIN_CREDENTIALS.clear();

        assertThatThrownBy(() -> find("https://localhost:" + secure.port(), trusting(), "down"))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("redirected from https to http://localhost:" + plain.port() + "/up");
        assertThat(PLAIN_CREDENTIALS).isEmpty();
    }

    @Test
    void redirect_fromHttpToHttps_isAnotherHost() {
        assertThat(find("http://localhost:" + plain.port(), trusting(), "a")).isEqualTo("secure null");
    }
}

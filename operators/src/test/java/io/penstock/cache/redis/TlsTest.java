package io.penstock.cache.redis;

import static io.penstock.cache.redis.RedisTierTest.TIMEOUT;
import static io.penstock.cache.redis.RedisTierTest.key;
import static io.penstock.cache.redis.RedisTierTest.value;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.TierKit;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Through a door with TLS before a real server with a password. */
class TlsTest {

    private static final String PASSWORD = "changeit";

    @TempDir
    Path directory;

    private TestServer server;
    private SSLServerSocket door;
    private Path certificate;

    @BeforeEach
    void start() throws Exception {
        server = TestServer.start(directory, "--requirepass", "hunter2");
        Path store = directory.resolve("store.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=dns:localhost",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        PASSWORD)
                .redirectErrorStream(true)
                .start();
        keytool.getInputStream().readAllBytes();
        assertThat(keytool.waitFor()).isZero();
        KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
        byte[] encoded = keys.getCertificate("mykey").getEncoded();
        certificate = Files.writeString(
                directory.resolve("ca.pem"),
                "-----BEGIN CERTIFICATE-----\n"
                        + Base64.getMimeEncoder().encodeToString(encoded)
                        + "\n-----END CERTIFICATE-----\n");
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        door = (SSLServerSocket)
                context.getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon(() -> {
            while (true) {
                Socket outside = door.accept();
                Socket inside = new Socket(InetAddress.getLoopbackAddress(), server.port());
                daemon(() -> copy(outside.getInputStream(), inside.getOutputStream()));
                daemon(() -> copy(inside.getInputStream(), outside.getOutputStream()));
            }
        });
    }

    private interface Work {
        void run() throws Exception;
    }

    private static void daemon(Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (Exception e) {
                // closed
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private static void copy(InputStream from, OutputStream to) throws Exception {
        try (from;
                to) {
            byte[] some = new byte[8192];
            for (int read = from.read(some); read >= 0; read = from.read(some)) {
                to.write(some, 0, read);
                to.flush();
            }
        }
    }

    @AfterEach
    void stop() throws Exception {
        door.close();
        server.close();
    }

    private boolean works(String host, String parameters) {
        RedisOptions options = RedisTier.at("rediss://" + host + ":" + door.getLocalPort() + parameters)
                .credentials("", "hunter2");
        try (RedisTier tier = options.timeout(java.time.Duration.ofSeconds(20)).open()) {
            TierKit.put(tier, key(1), value(1)).block(TIMEOUT);
            tier.flush().block(TIMEOUT);
            return value(1).equals(tier.get(key(1)).block(TIMEOUT));
        }
    }

    @Test
    void tier_throughTls_trustsWhatItWasToldTo() {
        assertThat(works("localhost", "?ca=" + certificate)).isTrue();
        assertThat(works("localhost", ""))
                .as("a certificate nobody vouches for")
                .isFalse();
        assertThat(works("127.0.0.1", "?ca=" + certificate))
                .as("another's name")
                .isFalse();
        assertThat(works("127.0.0.1", "?verify=ca&ca=" + certificate)).isTrue();
        assertThat(works("127.0.0.1", "?verify=none")).isTrue();
    }
}

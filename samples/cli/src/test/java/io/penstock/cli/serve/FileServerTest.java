package io.penstock.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which requests a file server answers, and which files it shows. */
class FileServerTest {

    private static final byte[] LOOPBACK = {127, 0, 0, 1};

    @TempDir
    private Path folder;

    /** The answer to a request for a path, with headers of one line each. */
    private static String ask(FileServer server, String path, String headers) throws IOException {
        try (Socket socket =
                new Socket(InetAddress.getByAddress(LOOPBACK), server.address().getPort())) {
            socket.getOutputStream()
                    .write("GET %s HTTP/1.1\r\n%sConnection: close\r\n\r\n"
                            .formatted(path, headers)
                            .getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static String ask(FileServer server, String path) throws IOException {
        return ask(server, path, "Host: localhost\r\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Host: evil.example\r\n",
                "Host: 127.0.0.1.evil.example\r\n",
                "Host: localhost\r\nOrigin: http://evil.example\r\n",
                "Host: localhost\r\nSec-Fetch-Site: cross-site\r\n"
            })
    void request_ofAnotherPage_isForbidden(String headers) throws IOException {
        Files.writeString(folder.resolve("a.txt"), "the text");
        try (FileServer server = FileServer.of(folder).start()) {
            assertThat(ask(server, "/a.txt", headers))
                    .startsWith("HTTP/1.1 403")
                    .doesNotContain("the text");
            assertThat(ask(server, "/a.txt")).startsWith("HTTP/1.1 200").endsWith("the text");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "bytes=2-3; 206; e ",
                "bytes=-4; 206; text",
                "bytes=4-; 206; text",
                "bytes=9-; 416; 416",
                "lines=1; 200; the text"
            })
    void range_ofAFile_isServed(String range, String status, String end) throws IOException {
        Files.writeString(folder.resolve("a.txt"), "the text");
        try (FileServer server = FileServer.of(folder).start()) {
            assertThat(ask(server, "/a.txt", "Host: localhost\r\nRange: " + range + "\r\n"))
                    .startsWith("HTTP/1.1 " + status)
                    .contains(end.strip());
        }
    }

    @Test
    void faults_asText_areReadAgain() {
        Faults faults = Faults.parse("refuse=0.05,reset=0.02,status=503:0.1,status=429:0.01", 1);

        assertThat(Faults.parse(faults.toString(), 1)).hasToString(faults.toString());
        assertThatThrownBy(() -> Faults.parse("reset=0.7,stall=0.1,truncate=0.9", 1))
                .hasMessage("shares of faults must be at most 1 together, were 1.7");
        assertThatThrownBy(() -> Faults.parse("status=200:0.1", 1)).hasMessageContaining("status=CODE:SHARE");
        assertThatThrownBy(() -> Faults.parse("reset=NaN", 1)).hasMessageContaining("must be in [0, 1]");
    }

    @Test
    void token_wrongOrMissing_isUnauthorized() throws IOException {
        Files.writeString(folder.resolve("a.txt"), "the text");
        try (FileServer server = FileServer.of(folder).token("s3cret").start()) {
            assertThat(ask(server, "/a.txt")).startsWith("HTTP/1.1 401").contains("www-authenticate: Bearer");
            assertThat(ask(server, "/a.txt", "Authorization: Bearer s3creT\r\n"))
                    .startsWith("HTTP/1.1 401");
            assertThat(ask(server, "/a.txt", "Host: box.example\r\nAuthorization: Bearer s3cret\r\n"))
                    .endsWith("the text");
        }
    }

    @Test
    void links_toWhatIsHiddenOrOutside_areNotServed(@TempDir Path outside) throws IOException {
        Files.writeString(Files.createDirectory(folder.resolve(".git")).resolve("config"), "hidden");
        Files.writeString(folder.resolve(".env"), "hidden");
        Files.writeString(outside.resolve("b.txt"), "hidden");
        Files.writeString(folder.resolve("ä %+.txt"), "the text");
        Files.createSymbolicLink(folder.resolve("env"), Path.of(".env"));
        Files.createSymbolicLink(folder.resolve("git"), Path.of(".git"));
        Files.createSymbolicLink(folder.resolve("b.txt"), outside.resolve("b.txt"));
        Files.createSymbolicLink(folder.resolve("shown"), Path.of("ä %+.txt"));

        try (FileServer server = FileServer.of(folder).manifest().start()) {
            assertThat(ask(server, "/env")).startsWith("HTTP/1.1 404").doesNotContain("hidden");
            assertThat(ask(server, "/git/config")).startsWith("HTTP/1.1 404").doesNotContain("hidden");
            assertThat(ask(server, "/.env")).startsWith("HTTP/1.1 404").doesNotContain("hidden");
            assertThat(ask(server, "/b.txt")).startsWith("HTTP/1.1 403").doesNotContain("hidden");
            assertThat(ask(server, "/shown")).startsWith("HTTP/1.1 200").endsWith("the text");
            assertThat(ask(server, "/%C3%A4%20%25+.txt"))
                    .startsWith("HTTP/1.1 200")
                    .endsWith("the text");
            assertThat(ask(server, "/manifest.jsonl"))
                    .contains("\"key\":\"shown\"", "\"key\":\"ä %+.txt\"")
                    .doesNotContain("\"env\"", "git/config", "b.txt");
        }
    }
}

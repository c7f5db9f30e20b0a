package io.penstock.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.cli.Cli;
import io.penstock.cli.CliProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServeFilesCommandTest {

    @TempDir
    private Path folder;

    private Process start(String... flags) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("serve-files", folder.toString()));
        arguments.addAll(List.of(flags));
        return CliProcess.java(arguments.toArray(String[]::new));
    }

    private static BufferedReader lines(Process process) {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    private static HttpResponse<String> get(String address, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void folder_served_isThereUntilASignal() throws Exception {
        Files.writeString(folder.resolve("a.txt"), "0123456789");
        Process process = start();
        try (BufferedReader out = lines(process)) {
            String address = out.readLine();

            HttpResponse<String> part = get(address + "a.txt", "Range", "bytes=2-4");
            HttpResponse<String> outside = get(address + "%2e%2e/secret");
            process.toHandle().destroy();
            boolean ended = process.waitFor(300, TimeUnit.SECONDS);

            assertThat(address).matches("http://127\\.0\\.0\\.1:\\d+/");
            assertThat(part.statusCode()).isEqualTo(206);
            assertThat(part.body()).isEqualTo("234");
            assertThat(part.headers().firstValue("Content-Range")).contains("bytes 2-4/10");
            assertThat(outside.statusCode()).isEqualTo(403);
            assertThat(ended).isTrue();
            assertThat(process.exitValue()).isEqualTo(128 + 15);
            assertThat(process.getErrorStream().readAllBytes()).isEmpty();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void manifest_withATokenAsJson_isForThoseWhoKnowIt() throws Exception {
        Files.createDirectories(folder.resolve("cat"));
        Files.writeString(folder.resolve("cat/1.txt"), "123456789");
        Path token = Files.writeString(folder.resolve(".token"), "t0p\n");
        Process process = start("--json", "--manifest", "--token-file", token.toString(), "--delay", "1ms");
        try (BufferedReader out = lines(process)) {
            JsonNode event = new ObjectMapper().readTree(out.readLine());
            String manifest = event.path("manifest").asText();

            HttpResponse<String> stranger = get(manifest);
            HttpResponse<String> known = get(manifest, "Authorization", "Bearer t0p");

            assertThat(event.path("event").asText()).isEqualTo("serving");
            assertThat(manifest).startsWith(event.path("address").asText());
            assertThat(stranger.statusCode()).isEqualTo(401);
            assertThat(known.body())
                    .isEqualTo(
                            "{\"key\":\"cat/1.txt\",\"bytes\":9,\"checksum\":\"crc32c:e3069283\",\"label\":\"cat\"}\n");
        } finally {
            process.destroyForcibly();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--delay 5|a time such as 5ms or 0.2s was expected",
                "--fault reset|fault must be one of refuse, reset, stall, truncate, wrong-length, status",
                "--fault status=0.1|must be status=CODE:SHARE",
                "--fault reset=0.6,stall=0.6|at most 1 together",
                "--port 70000|in [0, 65535] was expected, was \"70000\"",
                "--token t0p|unknown flag --token: did you mean --token-file?",
                "--token-file /none/such|cannot read the token: no such file",
            })
    void flags_thatAreWrong_endWithStatusTwo(String flags, String message) {
        Cli run = Cli.run(("serve-files " + folder + " " + flags).split(" "));

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains(message);
    }

    @Test
    void folder_thatIsNone_endsWithStatusOne() {
        Cli run = Cli.run("serve-files", folder.resolve("none").toString());

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err()).contains("none: no such file or folder");
    }
}

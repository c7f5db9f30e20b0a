package io.penstock.cli.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cli.Cli;
import io.penstock.cli.CliProcess;
import io.penstock.cli.serve.FileServer;
import io.penstock.store.http.HttpOptions;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The token of the environment: who gets it, and who does not. */
class SourceTokenTest {

    private static final String SECRET = "s3cret-token";

    @TempDir
    private Path folder;

    private record Shown(int status, String out, String err) {}

    private static Shown show(String source, String token) throws Exception {
        ProcessBuilder command = CliProcess.builder("show", source, "--json");
        command.environment().put(SourceToken.VARIABLE, token);
        Process process = command.start();
        try {
            String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Shown(process.waitFor(), out, err);
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void show_ofAServerThatWantsAToken_sendsTheEnvironmentsAndNeverPrintsIt() throws Exception {
        Files.write(folder.resolve("records.bin"), new byte[6]);
        try (FileServer server = FileServer.of(folder).token(SECRET).manifest().start()) {
            String records = "records:" + server.address() + "records.bin,2";

            Shown right = show(records, SECRET + "\n");
            Shown wrong = show(records, "other-token");
            Cli none = Cli.run("show", records);

            assertThat(right.status()).as(right.err()).isZero();
            assertThat(right.out()).contains("\"size\":3");
            assertThat(wrong.status()).isEqualTo(1);
            assertThat(wrong.out() + wrong.err()).contains("401").doesNotContain("other-token");
            assertThat(none.status()).isEqualTo(1);
            assertThat(none.err()).contains("401");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://data.example/x/", "http://127.0.0.1.example/", "http://localhost.example/"})
    void options_inTheClearToAnotherMachine_areRefused(String address) {
        assertThatThrownBy(() -> SourceToken.options(URI.create(address), SECRET))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("PENSTOCK_HTTP_TOKEN is sent only to https addresses")
                .hasMessageNotContaining(SECRET);
        assertThat(SourceToken.options(URI.create(address), null)).isSameAs(HttpOptions.standard());
        assertThat(SourceToken.options(URI.create(address), " \n")).isSameAs(HttpOptions.standard());
    }

    @ParameterizedTest
    @ValueSource(strings = {"https://data.example/x/", "http://127.0.0.1:80/", "http://localhost/", "http://[::1]:1/"})
    void options_encryptedOrToThisMachine_haveTheToken(String address) {
        HttpOptions options = SourceToken.options(URI.create(address), SECRET);

        assertThat(options).isNotSameAs(HttpOptions.standard());
        assertThat(options.toString()).doesNotContain(SECRET);
    }

    @Test
    void options_ofAnAddressWithItsOwnCredentials_leaveThemAlone() {
        assertThat(SourceToken.options(URI.create("https://me:pass@data.example/"), SECRET))
                .isSameAs(HttpOptions.standard());
    }

    @Test
    void options_ofATokenThatIsNone_areRefusedWithoutIt() {
        assertThatThrownBy(() -> SourceToken.options(URI.create("https://data.example/"), "a b"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("PENSTOCK_HTTP_TOKEN must be printable ASCII without blanks");
    }
}

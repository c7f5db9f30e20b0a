package io.penstock.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.Cli;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServeCommandTest {

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--host 0.0.0.0|will not serve on 0.0.0.0 without a bearer token and TLS",
                "--host 0.0.0.0 --token-file TOKEN|will not serve on 0.0.0.0 without a bearer token and TLS",
                "--token-file SHORT|the bearer token must be at least 16 printable ASCII characters",
                "--tls-cert x.pem|--tls-cert and --tls-key go together",
                "--digest|--digest is for stream",
                "--resume-file TOKEN|--resume-file is for stream",
                "--json --batch-events|--batch-events is for stream",
                "--each-a-rank 2 --rank 0 --world 2|exclude each other",
                "--each-a-rank 2 --consumers 2|exclude each other",
                "--shared DIR --pad|--shared needs batches of one size",
                "--host=|host must be a name or an address",
                "--port 70000|in [0, 65535] was expected",
            })
    void flags_thatAreWrong_endWithStatusTwo(String flags, String message) throws Exception {
        Path data = Files.write(folder.resolve("r.bin"), new byte[640]);
        Path token = Files.writeString(folder.resolve("token"), "0123456789abcdef\n");
        Path weak = Files.writeString(folder.resolve("short"), "123\n");

        Cli run = Cli.run(("serve --source records:" + data + ",64 " + flags)
                .replace("TOKEN", token.toString())
                .replace("DIR", folder.toString())
                .replace("SHORT", weak.toString())
                .split(" "));

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains(message);
        assertThat(run.out()).isEmpty();
    }
}

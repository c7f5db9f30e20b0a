package io.penstock.cli.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cli.Cli;
import io.penstock.cli.report.EpochReport;
import io.penstock.cli.report.Headroom;
import io.penstock.cli.report.Reporter;
import io.penstock.cli.report.RunReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MetricsPageTest {

    private final HttpClient client = HttpClient.newHttpClient();

    @TempDir
    private Path folder;

    private StreamFlags options(String flags) throws IOException {
        Path file = Files.write(folder.resolve("records.bin"), new byte[64 * 1000]);
        return StreamFlags.parse(("--source records:" + file + ",64 " + flags).split(" "));
    }

    private HttpResponse<String> get(String address) {
        try {
            return client.send(
                    HttpRequest.newBuilder(URI.create(address)).build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long value(String page, String name) {
        return page.lines()
                .filter(line -> line.startsWith(name + " "))
                .map(line -> (long) Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst()
                .orElseThrow(() -> new AssertionError(name + " is not on the page:\n" + page));
    }

    /** Looks at the page at the run's end, when it is still there. */
    private final class Looking implements Reporter {
        final List<EpochReport> epochs = new ArrayList<>();
        final String address;
        String page = "";

        Looking(String address) {
            this.address = address;
        }

        @Override
        public void epoch(EpochReport report) {
            epochs.add(report);
        }

        @Override
        public void headroom(Headroom.Report report, String unit) {}

        @Override
        public void done(RunReport report) {
            page = get(address).body();
        }

        long sum(ToLongFunction<EpochReport> count) {
            return epochs.stream().mapToLong(count).sum();
        }
    }

    @Test
    void page_atTheEndOfARun_hasTheCountsOfTheReport() throws IOException {
        Looking reporter;
        String address;
        StreamFlags flags = options("--cache-ram 40KiB --epochs 12 --metrics-port 0");
        try (Run<?> plan = flags.open()) {
            address = plan.metrics();
            reporter = new Looking(address);

            assertThat(flags.deliver(plan, reporter, new PrintWriter(new StringWriter()), false))
                    .isTrue();
        }

        String page = reporter.page;
        long hits = reporter.sum(EpochReport::hits);
        assertThat(reporter.epochs).hasSize(12);
        assertThat(hits).isPositive();
        assertThat(value(page, "penstock_samples_loaded_total"))
                .isEqualTo(reporter.sum(epoch -> epoch.statistics().loads()));
        assertThat(value(page, "penstock_cache_misses_total"))
                .isEqualTo(reporter.sum(epoch -> epoch.statistics().misses()));
        assertThat(value(page, "penstock_cache_hits_total{tier=\"ram\"}")).isEqualTo(hits);
        assertThat(value(page, "penstock_tier_hits_total{tier=\"ram\"}")).isBetween(1L, hits); // the rest shared a load
        assertThat(value(page, "penstock_samples_skipped_total")).isZero();
        assertThat(value(page, "penstock_stage_time_seconds_count{kind=\"source\",stage=\"load\"}"))
                .isEqualTo(reporter.sum(epoch -> epoch.statistics().loads()));
        assertThat(value(page, "penstock_tier_samples{tier=\"ram\"}")).isPositive();
        assertThat(value(page, "penstock_tier_bytes{tier=\"ram\"}")).isBetween(1L, 40_960L);
        assertThatThrownBy(() -> get(address)).hasCauseInstanceOf(ConnectException.class);
    }

    @Test
    void page_otherThanMetrics_isNotFound() {
        try (RunMeters page = new RunMeters("127.0.0.1", 0, null)) {
            assertThat(page.address()).startsWith("http://127.0.0.1:");
            assertThat(get(page.address()).headers().firstValue("Content-Type"))
                    .contains("text/plain; version=0.0.4; charset=utf-8");
            assertThat(get(page.address().replace("metrics", "")).statusCode()).isEqualTo(404);
        }
    }

    @Test
    void stream_onATakenPort_endsWithStatusTwoAndOneLine() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
            Path file = Files.write(folder.resolve("records.bin"), new byte[640]);

            Cli run = Cli.stream("--source records:" + file + ",64 --metrics-port " + taken.getLocalPort());

            assertThat(run.status()).isEqualTo(2);
            assertThat(run.out()).isEmpty();
            assertThat(run.err())
                    .contains("--metrics-port %d is taken or not allowed; choose another, or 0 for any free one"
                            .formatted(taken.getLocalPort()));
        }
    }

    @Test
    void stream_withAPage_saysWhereItIs() throws IOException {
        Path file = Files.write(folder.resolve("records.bin"), new byte[640]);

        Cli run = Cli.stream("--source records:" + file + ",64 --metrics-port 0");

        assertThat(run.status()).isZero();
        assertThat(run.err()).matches("metrics at http://127\\.0\\.0\\.1:\\d+/metrics\\R");
        assertThat(run.events()).hasSize(2);
    }

    @Test
    void stream_onAnImpossiblePort_isRefused() throws IOException {
        Path file = Files.write(folder.resolve("records.bin"), new byte[640]);

        assertThat(Cli.stream("--source records:" + file + ",64 --metrics-port 65536")
                        .err())
                .contains("in [0, 65535] was expected, was \"65536\"");
    }

    @Test
    void host_ofAllAddresses_isServedThere() throws IOException {
        try (Run<?> plan = options("--metrics-port 0 --metrics-host 0.0.0.0").open()) {
            String address = plan.metrics();

            assertThat(address).matches("http://0\\.0\\.0\\.0:\\d+/metrics");
            assertThat(get(address.replace("0.0.0.0", "127.0.0.2")).statusCode())
                    .isEqualTo(200);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--metrics-host 127.0.0.1                     | --metrics-host needs --metrics-port",
                "--metrics-port 0 --metrics-host host.invalid | there is no address to listen at: host.invalid",
                "--metrics-port 0 --metrics-host 192.0.2.1    | --metrics-port 0 is taken or not allowed"
            })
    void host_thatCannotBe_isRefused(String flags, String message) throws IOException {
        Path file = Files.write(folder.resolve("records.bin"), new byte[64]);

        Cli run = Cli.stream("--source records:" + file + ",64 " + flags);

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains(message);
    }
}

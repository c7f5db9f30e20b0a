package io.penstock.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.cli.Cli;
import io.penstock.cli.watch.LockstepJob.Input;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WatchCommandTest {

    private static Cli watch(List<URI> addresses, String... flags) {
        List<String> arguments = new ArrayList<>(List.of("watch", "--once", "--every", "1"));
        arguments.addAll(List.of(flags));
        addresses.forEach(address -> arguments.add(address.getAuthority()));
        return Cli.run(arguments.toArray(String[]::new));
    }

    @Test
    void once_printsATableAndASentence() {
        try (LockstepJob ranks = new LockstepJob(2, rank -> new Input(1, 0))) {
            Cli run = watch(ranks.addresses());

            assertThat(run.status()).as(run.err()).isZero();
            List<String> lines = run.out().lines().toList();
            assertThat(lines).hasSize(4);
            assertThat(lines.get(0)).startsWith("rank ").contains("batches/s", "waits");
            assertThat(lines.get(1))
                    .startsWith("rank 0 ")
                    .contains(ranks.addresses().get(0).getAuthority(), " %");
            assertThat(lines.get(2)).startsWith("rank 1 ");
        }
    }

    @Tag("endurance")
    @Test
    void once_whereTheOtherSideIsSilentOrNobodyIsThere_saysSoAndFails() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Cli run = watch(List.of(URI.create("http://127.0.0.1:" + silent.getLocalPort())));

            assertThat(run.status()).isEqualTo(1);
            assertThat(run.out()).endsWith("does not answer (no whole page within 2 s)\n");
        }
        Cli run = watch(List.of(URI.create("http://127.0.0.1:1")));

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.out()).endsWith("does not answer (connection refused)\n");
    }

    @Test
    void json_isOneObjectALine() {
        try (LockstepJob ranks = new LockstepJob(2, rank -> new Input(1, 0))) {
            Cli run = watch(ranks.addresses(), "--json", "--port", "0");

            assertThat(run.status()).as(run.err()).isZero();
            assertThat(run.events().get(0).path("address").asText()).startsWith("http://127.0.0.1:");
            JsonNode report = run.events().get(1);
            assertThat(report.path("event").asText()).isEqualTo("ranks");
            assertThat(report.path("ranks")).hasSize(2).allSatisfy(rank -> {
                assertThat(rank.path("batches").asLong()).isPositive();
                assertThat(rank.path("waiting").asDouble()).isBetween(0.0, 1.0);
                assertThat(rank.has("missing")).isFalse(); // there is no cache
            });
            assertThat(report.path("words").asText()).isNotEmpty();
        }
    }

    @Test
    void aJobThatHasEnded_endsTheCommand() throws InterruptedException {
        LockstepJob ranks = new LockstepJob(1, rank -> new Input(1, 0));
        Thread end = new Thread(() -> {
            try (ranks) {
                Thread.sleep(1_500); // at least one reading comes first
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        end.start();

        Cli run = Cli.run("watch", ranks.addresses().get(0).toString());
        end.join();

        assertThat(run.status()).as(run.err()).isZero();
        assertThat(run.out()).contains("rank 0").endsWith("does not answer (connection refused)\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "watch                    | Missing required parameter: 'HOST:PORT'",
                "watch host               | a port, HOST:PORT or an address was expected, was \"host\"",
                "watch http://h:1 a:b     | a port, HOST:PORT or an address was expected, was \"a:b\"",
                "watch --every 0 9400     | a whole number in [1, 86400] was expected, was \"0\"",
                "watch --port 65536 9400  | a whole number in [0, 65535] was expected, was \"65536\"",
            })
    void wrongUsage_isRefused(String command, String message) {
        Cli run = Cli.run(command.split(" +"));

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains(message);
    }
}

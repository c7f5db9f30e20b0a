package io.penstock.cache.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cache.Entry;
import io.penstock.cache.redis.internal.Registration;
import io.penstock.fault.StoreException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Numbers, times, sizes, addresses and paths out of range are refused where they come in. */
class RedisRangesTest {

    private static final RedisOptions OPTIONS = RedisTier.at("redis://host");

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "redis://                                 | a host is missing",
                "redis://:6379                            | a host is missing",
                "redis://host:0                           | a port must be in [1, 65535], was 0",
                "redis://host:70000                       | a port must be in [1, 65535], was 70000",
                "redis://host:-1                          | a host is missing or is not HOST:PORT",
                "redis://[zz]:1                           | a host is missing or is not HOST:PORT",
                "redis://host/-1                          | not a database's number",
                "redis://host/9999999                     | not a database's number",
                "ftp://host                               | it begins with",
                "host                                     | it has not that form",
                "redis://host?timeout=0s                  | the time-out must be in [1 ms, 24 h], was PT0S",
                "redis://host?timeout=999999999s          | the time-out must be in [1 ms, 24 h]",
                "redis://host?lease=-1s                   | lease must be a time",
                "redis://host?max-value=0B                | the largest value must be of 1 to",
                "redis://host?max-value=513MiB            | the largest value must be of 1 to",
                "redis://host?max-value=99999999999999TiB | max-value is more than 2^63 bytes",
                "redis://host?node=-1                     | node must be a number",
                "redis://host?master=x                    | master=NAME is for redis-sentinel",
                "redis://host?verify=x                    | verify must be full, ca or none",
                "rediss://host?ca=/no/such                | cannot read the certificates in /no/such",
                "redis://host?password-file=/no/such      | cannot read the password file /no/such: no such file or folder",
                "spawn:                                   | must be a size such as",
                "spawn:-1MiB                              | must be a size such as",
                "spawn:0B                                 | the bytes of a server must be in [1048576,",
                "spawn:2000TiB                            | the bytes of a server must be in [1048576,",
                "spawn:999999999999999TiB                 | is more than 2^63 bytes",
                "spawn:64MiB?port=70000                   | a port in [0, 65535]",
                "spawn:64MiB?port=-1                      | port must be a number",
                "spawn-all:64MiB                          | the nodes of spawn-all need a place to meet",
                "spawn-all:64MiB?meet=host                | nodes meet at HOST:PORT or in a folder",
                "spawn-all:64MiB?meet=host:0              | nodes meet at HOST:PORT or in a folder",
                "spawn-all:64MiB?meet=host:70000          | nodes meet at HOST:PORT or in a folder",
                "spawn-all:64MiB?meet=host:1&nodes=0      | nodes that meet are 1 or more, were 0",
                "spawn-all:64MiB?meet=host:1&bind=        | a server listens on an address",
                "spawn-all:64MiB?meet=host:1&wait=1       | wait must be a time",
                "spawn-all:64MiB?meet=host:1&listen=host  | it knows no parameter",
                "spawn-all:?meet=host:1                   | must be a size such as",
                "spawn:64MiB?listen=                      | a server listens on an address",
                "spawn:64MiB?listen=a b                   | a server listens on an address",
                "spawn:64MiB?dir=                         | a path is missing after dir=",
                "spawn:64MiB?server=                      | a path is missing after server=",
                "spawn:64MiB?node=1                       | it knows no parameter",
            })
    void text_outOfRange_isRefusedWithWhatIsWanted(String uri, String message) {
        assertThatThrownBy(() -> RedisTier.at(uri))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    void setters_outOfRange_areRefusedWithWhatIsWanted() {
        for (Duration time : List.of(
                Duration.ofSeconds(-1), Duration.ZERO, Duration.ofDays(2), Duration.ofSeconds(Long.MAX_VALUE))) {
            assertThatThrownBy(() -> OPTIONS.timeout(time))
                    .hasMessageContaining("must be in [1 ms, 24 h], was " + time);
            assertThatThrownBy(() -> OPTIONS.leaseTime(time))
                    .hasMessageContaining("must be in [1 ms, 24 h], was " + time);
        }
        for (long bytes : new long[] {Long.MIN_VALUE, -1, 0, 1L << 29, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> OPTIONS.maxValueBytes(bytes)).hasMessageContaining("was " + bytes);
        }
        assertThatThrownBy(() -> OPTIONS.pendingBytes(-1)).hasMessageContaining("must not be negative, were -1");
        assertThatThrownBy(() -> OPTIONS.name("x".repeat(1_001)))
                .hasMessageContaining("at most 1000 characters, had 1001");
        for (long bytes : new long[] {Long.MIN_VALUE, -1, 0, (1L << 20) - 1, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> NodeServer.ofBytes(bytes)).hasMessageContaining("were " + bytes);
        }
        assertThatThrownBy(() -> NodeServer.ofBytes(1 << 20).listen("host", 70_000))
                .hasMessageContaining("70000");
        assertThatThrownBy(() -> RedisTier.in(NodeServer.ofBytes(1 << 20)).node(1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the node's own");
    }

    @Test
    void directory_thatCannotBeMade_isNamed() {
        for (String path : List.of("/" + "x".repeat(300), "/proc/no/such")) {
            assertThatThrownBy(() -> RedisTier.at("spawn:64MiB?server=/bin/false&dir=" + path)
                            .open())
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining(path);
        }
    }

    @Test
    void password_withOddCharacters_isThatOfTheServerForAllItsProcesses() throws Exception {
        String odd = " a\nb\r\"'\\#%@:\t\u00e9\u20ac \u0000";
        RedisOptions options = RedisTier.at("spawn:64MiB?timeout=60s&dir=" + directory.resolve("node") + "&server="
                        + RedisBinary.in(directory))
                .credentials("", odd);
        try (RedisTier first = options.open();
                RedisTier second = options.open()) {
            assertThat(first.accepts(RedisTierTest.key(1), Entry.UNKNOWN)).isTrue();
            assertThat(second.accepts(RedisTierTest.key(1), Entry.UNKNOWN)).isTrue();
            assertThat(Registration.all(directory.resolve("node")))
                    .singleElement()
                    .satisfies(server -> assertThat(server.password().reveal()).isEqualTo(odd));
        }
    }
}

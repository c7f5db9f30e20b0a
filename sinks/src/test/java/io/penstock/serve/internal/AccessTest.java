package io.penstock.serve.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AccessTest {

    private static final Access OPEN = Access.to("http", "box.example");
    private static final Access KNOWN = OPEN.token("0123456789abcdef");

    /** The status of a request with these headers, written {@code Name: value}; 200 if it is let in. */
    private static int status(Access access, String... headers) {
        return access.refusal(name -> Arrays.stream(headers)
                        .filter(header -> header.startsWith(name + ":"))
                        .map(header -> header.substring(name.length() + 1).strip())
                        .toList())
                .map(Access.Refusal::status)
                .orElse(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost",
                "LocalHost:8080",
                "127.0.0.1:1",
                "127.1.2.3",
                "[::1]:8080",
                "box.example",
                "BOX.example:80"
            })
    void host_ofThisServer_isLetIn(String host) {
        assertThat(status(OPEN, "Host: " + host)).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "evil.example",
                "127.0.0.1.evil.example",
                "localhost.evil.example:80",
                "evil.example:127.0.0.1",
                "localhost@evil.example",
                "localhost:80:80",
                "[::2]",
                "[::1]evil",
                "other.box.example",
                "0.0.0.0",
                "localhost evil.example"
            })
    void host_ofAnotherName_isForbidden(String host) {
        assertThat(status(OPEN, "Host: " + host)).isEqualTo(403);
    }

    @ParameterizedTest
    @ValueSource(strings = {"box.example", "Node3:9400", "10.0.0.3:9400", "[fe80::2]:9400", "localhost"})
    void host_ofAnAddressOrThisMachine_isLetInFromOtherMachines(String host) {
        assertThat(status(OPEN.fromOtherMachines("node3"), "Host: " + host)).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"evil.example", "node3.evil.example", "10.0.0.3.evil.example", "node4", "[::1]evil"})
    void host_ofAPage_isForbiddenFromOtherMachines(String host) {
        assertThat(status(OPEN.fromOtherMachines("node3"), "Host: " + host)).isEqualTo(403);
    }

    @Test
    void host_missingOrTwice_isForbidden() {
        assertThat(status(OPEN)).isEqualTo(403);
        assertThat(status(OPEN, "Host: localhost", "Host: localhost")).isEqualTo(403);
    }

    @Test
    void host_ofIpv6_isThatOfItsAddress() {
        assertThat(status(Access.to("http", "fe80::2"), "Host: [FE80::2]:80")).isEqualTo(200);
        assertThat(status(Access.to("http", "::1"), "Host: [fe80::2]")).isEqualTo(403);
    }

    @Test
    void token_rightOne_isLetInByAnyName() {
        assertThat(status(KNOWN, "Host: else.example", "Authorization: bearer 0123456789abcdef"))
                .isEqualTo(200);
        assertThat(status(KNOWN, "Authorization: Bearer 0123456789abcdef")).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Bearer",
                "Bearer 0123456789abcdeX",
                "Bearer 0123456789abcde",
                "0123456789abcdef",
                "Basic 0123456789abcdef"
            })
    void token_wrongOne_isUnauthorized(String authorization) {
        assertThat(status(KNOWN, "Host: localhost", "Authorization: " + authorization))
                .isEqualTo(401);
        assertThat(status(KNOWN, "Host: localhost")).isEqualTo(401);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Origin: http://localhost:8080", "Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: none"})
    void page_ofThisServer_isLetIn(String header) {
        assertThat(status(OPEN, "Host: localhost:8080", header)).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Origin: null",
                "Origin: http://evil.example",
                "Origin: https://localhost:8080",
                "Origin: http://localhost:3000",
                "Sec-Fetch-Site: cross-site",
                "Sec-Fetch-Site: same-site",
                "Sec-Fetch-Site: "
            })
    void page_ofAnotherServer_isForbiddenWhateverItBrings(String header) {
        List<String> known = List.of("Host: localhost:8080", "Authorization: Bearer 0123456789abcdef", header);

        assertThat(status(OPEN, "Host: localhost:8080", header)).isEqualTo(403);
        assertThat(status(KNOWN, known.toArray(String[]::new))).isEqualTo(403);
    }
}

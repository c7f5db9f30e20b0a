package io.penstock.cli.stream;

import io.penstock.cli.flag.NumberFlag;
import io.penstock.internal.Arguments;
import io.penstock.page.GuardedServer;
import java.net.URI;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags for counts that other programs read. */
final class MetricsFlags {

    @Option(names = "--metrics-port", paramLabel = "N", converter = NumberFlag.Port.class)
    private @Nullable Integer port;

    @Option(names = "--metrics-host", paramLabel = "ADDRESS")
    private @Nullable String host;

    @Option(names = "--otlp", paramLabel = "URL")
    private @Nullable URI otlp;

    void check() {
        Arguments.refuse(host != null && port == null, "--metrics-host needs --metrics-port");
        if (otlp != null) {
            OtlpPush.metrics(otlp);
        }
    }

    /** Serves the page and pushes; null where neither was asked for. */
    @Nullable RunMeters open() {
        return port == null && otlp == null
                ? null
                : new RunMeters(Objects.requireNonNullElse(host, GuardedServer.LOOPBACK), port, otlp);
    }
}

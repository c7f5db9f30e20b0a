package io.penstock.cli.stream;

import io.penstock.cli.flag.NumberFlag;
import io.penstock.page.GuardedServer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags for the page of counts. */
final class MetricsFlags {

    @Option(names = "--metrics-port", paramLabel = "N", converter = NumberFlag.Port.class)
    private @Nullable Integer port;

    @Option(names = "--metrics-host", paramLabel = "ADDRESS")
    private @Nullable String host;

    /** @throws IllegalArgumentException if they do not fit to one another */
    void check() {
        if (host != null && port == null) {
            throw new IllegalArgumentException("--metrics-host needs --metrics-port");
        }
    }

    /** Serves the page; null where none was asked for. */
    @Nullable MetricsPage open() {
        return port == null ? null : new MetricsPage(Objects.requireNonNullElse(host, GuardedServer.LOOPBACK), port);
    }
}

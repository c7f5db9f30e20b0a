package io.penstock.cli.serve;

import io.penstock.cli.flag.NumberFlag;
import io.penstock.cli.stream.Run;
import io.penstock.internal.Arguments;
import io.penstock.serve.BatchServer;
import io.penstock.serve.ServerPlan;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Option;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** The flags of a server of batches. */
final class ServerFlags {

    private static final Logger LOG = LoggerFactory.getLogger(ServerFlags.class);

    @Option(names = "--port", paramLabel = "N", defaultValue = "0", converter = NumberFlag.Port.class)
    private int port;

    @Option(names = "--host", paramLabel = "ADDRESS", defaultValue = "127.0.0.1")
    private String host = "127.0.0.1";

    @Option(names = "--token-file", paramLabel = "FILE")
    private @Nullable Path tokenFile;

    @Option(names = "--tls-cert", paramLabel = "FILE")
    private @Nullable Path tlsCertificate;

    @Option(names = "--tls-key", paramLabel = "FILE")
    private @Nullable Path tlsKey;

    @Option(names = "--consumers", paramLabel = "N", defaultValue = "1", converter = NumberFlag.Members.class)
    private Integer consumers = 1;

    @Option(names = "--each-a-rank", paramLabel = "N", converter = NumberFlag.Members.class)
    private @Nullable Integer ranks;

    @Option(names = "--shared", paramLabel = "DIR")
    private @Nullable Path shared;

    @Option(names = "--once")
    private boolean once;

    @Option(names = "--until-stdin-ends")
    private boolean untilStdinEnds;

    void check() {
        if (ranks != null && consumers > 1) {
            throw new IllegalArgumentException(
                    "--each-a-rank and --consumers exclude each other: each rank has one consumer");
        }
        Arguments.refuse((tlsCertificate == null) != (tlsKey == null), "--tls-cert and --tls-key go together");
    }

    void check(Run<?> run) {
        if (ranks != null && run.sampler().shard().worldSize() > 1) {
            throw new IllegalArgumentException(
                    "--each-a-rank and --rank with --world, or a rank of the environment, exclude each other");
        }
        if (shared != null && run.batching().differ()) {
            throw new IllegalArgumentException(
                    "--shared needs batches of one size, and those of --pad, --mix, --bucket and --batch-tokens differ:"
                            + " leave out --shared, and they are sent");
        }
        ServedPlan.requireInOrder(run.sampler().start());
    }

    BatchServer start(Run<?> run) {
        ServerPlan server = ServerPlan.of(new ServedPlan<>(run, ranks == null ? 1 : ranks))
                .host(host)
                .port(port)
                .consumers(consumers);
        String token = BearerToken.read(tokenFile);
        if (token != null) {
            server = server.secret(token);
        }
        if (tlsCertificate != null && tlsKey != null) {
            server = server.tls(tlsCertificate, tlsKey);
        }
        return (shared == null ? server : server.shared(shared)).start();
    }

    /** Completes when the server is to end, or a signal came. */
    Mono<Void> end(BatchServer server, Mono<Void> stopped) {
        List<Mono<Void>> ends = new ArrayList<>(List.of(stopped));
        if (once) {
            ends.add(server.served());
        }
        if (untilStdinEnds) {
            ends.add(inputEnd());
        }
        return Mono.firstWithSignal(ends);
    }

    /** Completes when standard input ends or breaks. Reads it on a daemon thread, since a read cannot be cancelled. */
    private static Mono<Void> inputEnd() {
        Sinks.Empty<Void> ended = Sinks.empty();
        Thread reader = new Thread(
                () -> {
                    try {
                        System.in.transferTo(OutputStream.nullOutputStream());
                    } catch (IOException e) {
                        LOG.debug("standard input broke", e);
                    }
                    ended.tryEmitEmpty();
                },
                "penstock-stdin");
        reader.setDaemon(true);
        reader.start();
        return ended.asMono();
    }
}

package io.penstock.cli.serve;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.penstock.cli.console.Interruption;
import io.penstock.cli.console.Output;
import io.penstock.cli.console.Reason;
import io.penstock.cli.flag.HelpFlag;
import io.penstock.cli.stream.StreamOptions;
import io.penstock.cli.stream.StreamPlan;
import io.penstock.serve.BatchServer;
import io.penstock.serve.ServerPlan;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** {@code penstock serve}: the batches of a pipeline over HTTP. */
@Command(
        name = "serve",
        sortOptions = false,
        abbreviateSynopsis = true,
        usageHelpWidth = 100,
        description = "Serve the batches that stream with the same flags has, over HTTP, until interrupted. The "
                + "first line printed is the address.")
public final class ServeCommand implements Callable<Integer> {

    private static final Logger LOG = LoggerFactory.getLogger(ServeCommand.class);

    @Mixin
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private final HelpFlag help = new HelpFlag();

    private final StreamOptions options;
    private final ServeOptions serving;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private ServeCommand(StreamOptions options, ServeOptions serving) {
        this.options = options;
        this.serving = serving;
    }

    public static CommandLine command() {
        CommandSpec flags = CommandSpec.forAnnotatedObject(StreamOptions.class);
        CommandSpec more = CommandSpec.forAnnotatedObject(ServeOptions.class);
        ServeCommand command = new ServeCommand((StreamOptions) flags.userObject(), (ServeOptions) more.userObject());
        return new CommandLine(
                CommandSpec.forAnnotatedObject(command).addMixin("flags", flags).addMixin("more", more));
    }

    @Override
    public Integer call() {
        try (Interruption interruption = Interruption.watch(() -> {})) {
            int status = serve(interruption);
            return interruption.ended() ? Interruption.STATUS : status;
        }
    }

    private int serve(Interruption interruption) {
        Integer ranks = serving.ranks();
        try (StreamPlan<?> plan = plan();
                BatchServer server = start(new ServedPlan<>(plan, ranks == null ? 1 : ranks))) {
            Output out = new Output(spec.commandLine().getOut());
            String address = server.address().toString();
            out.line(
                    options.json()
                            ? JsonNodeFactory.instance
                                    .objectNode()
                                    .put("event", "serving")
                                    .put("address", address)
                                    .toString()
                            : address);
            if (plan.metrics() != null) {
                spec.commandLine().getErr().println("metrics at " + plan.metrics());
            }
            List<Mono<Void>> ends = new ArrayList<>(List.of(interruption.stop()));
            if (serving.once()) {
                ends.add(server.served());
            }
            if (serving.untilStdinEnds()) {
                ends.add(inputEnd());
            }
            Mono.firstWithSignal(ends).block();
        }
        return 0;
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

    private StreamPlan<?> plan() {
        unfit().ifPresent(flag -> {
            throw wrong(flag + " is for stream: here the consumers decide what they take, and hold the tokens");
        });
        if (serving.ranks() != null && serving.consumers() > 1) {
            throw wrong("--each-a-rank and --consumers exclude each other: each rank has one consumer");
        }
        try {
            return ofOneRank(StreamPlan.of(options));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), Reason.of(e), e);
        }
    }

    private Optional<String> unfit() {
        Map<String, Boolean> flags = new LinkedHashMap<>();
        flags.put("--stop-after", options.stopAfter() != null);
        flags.put("--digest", options.digest());
        flags.put("--headroom", options.headroom());
        flags.put("--resume-file", options.resumeFile() != null);
        flags.put("--batch-events", options.batchEvents());
        flags.put("--unordered", options.unordered() != null);
        return flags.entrySet().stream()
                .filter(Map.Entry::getValue)
                .map(Map.Entry::getKey)
                .findFirst();
    }

    /** The plan, unless consumers are to be ranks and it is a rank itself, as flags or the environment may say. */
    private StreamPlan<?> ofOneRank(StreamPlan<?> plan) {
        if (serving.ranks() != null && plan.sampler().shard().worldSize() > 1) {
            plan.close();
            throw wrong("--each-a-rank and --rank with --world, or a rank of the environment, exclude each other");
        }
        if (serving.shared() != null && (options.pad() || plan.isGrouped())) {
            plan.close();
            throw wrong("--shared needs batches of one size, and those of --pad, --bucket and --batch-tokens differ:"
                    + " leave out --shared, and they are sent");
        }
        try {
            ServedPlan.requireInOrder(plan.sampler().start());
        } catch (IllegalArgumentException e) {
            plan.close();
            throw e;
        }
        return plan;
    }

    private BatchServer start(ServedPlan<?> plan) {
        try {
            ServerPlan server = ServerPlan.of(plan)
                    .host(serving.host())
                    .port(serving.port())
                    .consumers(serving.consumers());
            String token = BearerToken.read(serving.tokenFile());
            if (token != null) {
                server = server.secret(token);
            }
            Path certificate = serving.tlsCertificate();
            Path key = serving.tlsKey();
            if ((certificate == null) != (key == null)) {
                throw wrong("--tls-cert and --tls-key go together");
            }
            if (certificate != null && key != null) {
                server = server.tls(certificate, key);
            }
            Path shared = serving.shared();
            return (shared == null ? server : server.shared(shared)).start();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), Reason.of(e), e);
        }
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}

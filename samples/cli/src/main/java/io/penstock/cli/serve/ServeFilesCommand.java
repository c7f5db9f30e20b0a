package io.penstock.cli.serve;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.cli.console.Interruption;
import io.penstock.cli.console.Output;
import io.penstock.cli.console.Reason;
import io.penstock.cli.flag.HelpFlag;
import io.penstock.cli.flag.NumberFlag;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code penstock serve-files}: a folder over HTTP, as far away and as broken as asked. */
@Command(
        name = "serve-files",
        sortOptions = false,
        abbreviateSynopsis = true,
        usageHelpWidth = 100,
        description = "Serve a folder over HTTP on 127.0.0.1 until interrupted: with ranges, and on request with "
                + "delays and faults. "
                + "The first line printed is the address.")
public final class ServeFilesCommand implements Callable<Integer> {

    @Mixin
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private final HelpFlag help = new HelpFlag();

    @Parameters(paramLabel = "DIR", description = "The folder.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path folder;

    @Option(
            names = "--port",
            paramLabel = "N",
            defaultValue = "0",
            converter = NumberFlag.Port.class,
            description = "The port; any free one by default.")
    private int port;

    @Option(
            names = "--delay",
            paramLabel = "TIME",
            defaultValue = "0ms",
            converter = Delay.class,
            description = "The delay of each answer, such as 5ms or 0.2s.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Duration delay;

    @Option(
            names = "--fault",
            paramLabel = "KIND=SHARE,…",
            description = "The share of requests for each fault: refuse=0.05,reset=0.01,stall=0.01,truncate=0.02,"
                    + "wrong-length=0.02,status=503:0.1.")
    private @Nullable String fault;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "42",
            converter = NumberFlag.Seed.class,
            description = "The seed that decides which requests fail (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(
            names = "--manifest",
            description = "Serve manifest.jsonl too: every file with its size, checksum and first folder as label.")
    private boolean manifest;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "Answer only requests with the bearer token that this file holds; the environment's "
                    + "PENSTOCK_TOKEN otherwise.")
    private @Nullable Path tokenFile;

    @Option(names = "--json", description = "Print one JSON object a line, and nothing else.")
    private boolean json;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    /** A time with its unit. */
    static final class Delay implements ITypeConverter<Duration> {
        private static final Duration MAX = Duration.ofHours(1);
        private static final Pattern FORM = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)(us|ms|s)");

        @Override
        public Duration convert(String text) {
            Matcher form = FORM.matcher(text);
            if (!form.matches()) {
                throw new TypeConversionException("a time such as 5ms or 0.2s was expected, was \"" + text + "\"");
            }
            double unit = switch (form.group(2)) {
                case "us" -> 1e3;
                case "ms" -> 1e6;
                default -> 1e9;
            };
            Duration delay = Duration.ofNanos(Math.round(Double.parseDouble(form.group(1)) * unit));
            if (delay.compareTo(MAX) > 0) {
                throw new TypeConversionException("a time of at most 3600s was expected, was \"" + text + "\"");
            }
            return delay;
        }
    }

    @Override
    public Integer call() {
        Output out = new Output(spec.commandLine().getOut());
        try (Interruption interruption = Interruption.watch(() -> {})) {
            try (FileServer server = plan().start()) {
                out.line(json ? event(server).toString() : server.address().toString());
                if (!json && manifest) {
                    out.line("manifest at " + server.address() + "manifest.jsonl");
                }
                interruption.stop().block();
            }
            interruption.ended();
            return Interruption.STATUS;
        }
    }

    private FileServer.Plan plan() {
        try {
            FileServer.Plan plan = FileServer.of(folder).port(port).delay(delay);
            if (fault != null) {
                plan = plan.faults(Faults.parse(fault, seed));
            }
            String token = BearerToken.read(tokenFile);
            if (token != null) {
                plan = plan.token(token);
            }
            return manifest ? plan.manifest() : plan;
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), Reason.of(e), e);
        }
    }

    private ObjectNode event(FileServer server) {
        ObjectNode event = JsonNodeFactory.instance
                .objectNode()
                .put("event", "serving")
                .put("address", server.address().toString());
        if (manifest) {
            event.put("manifest", server.address() + "manifest.jsonl");
        }
        return event;
    }
}

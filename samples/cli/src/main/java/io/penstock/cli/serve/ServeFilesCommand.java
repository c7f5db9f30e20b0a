package io.penstock.cli.serve;

import io.penstock.cli.console.Interruption;
import io.penstock.cli.flag.NumberFlag;
import io.penstock.cli.flag.OutputFlags;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** {@code penstock serve-files}: a folder over HTTP, as far away and as broken as asked. */
@Command(
        name = "serve-files",
        sortOptions = false,
        abbreviateSynopsis = true,
        description = "Serve a folder over HTTP on 127.0.0.1 until interrupted: with ranges, and on request with "
                + "delays and faults. "
                + "The first line printed is the address.")
public final class ServeFilesCommand implements Callable<Integer> {

    @Mixin
    private final OutputFlags output = new OutputFlags();

    @Parameters(paramLabel = "DIR", description = "The folder.")
    private Path folder;

    @Option(names = "--port", paramLabel = "N", defaultValue = "0", converter = NumberFlag.Port.class)
    private int port;

    @Option(names = "--delay", paramLabel = "TIME", defaultValue = "0ms", converter = Delay.class)
    private Duration delay;

    @Option(names = "--fault", paramLabel = "KIND=SHARE,…")
    private @Nullable String fault;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "42", converter = NumberFlag.Seed.class)
    private long seed;

    @Option(names = "--manifest")
    private boolean manifest;

    @Option(names = "--token-file", paramLabel = "FILE")
    private @Nullable Path tokenFile;

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
        try (Interruption interruption = Interruption.watch(() -> {})) {
            try (FileServer server = output.checked(this::plan).start()) {
                String address = server.address().toString();
                String list = address + ServedManifest.NAME;
                output.print(address + (manifest ? "\nmanifest at " + list : ""), "serving", node -> {
                    node.put("address", address);
                    if (manifest) {
                        node.put("manifest", list);
                    }
                });
                interruption.stop().block();
            }
            interruption.ended();
            return Interruption.STATUS;
        }
    }

    private FileServer.Plan plan() {
        FileServer.Plan plan = FileServer.of(folder).port(port).delay(delay);
        if (fault != null) {
            plan = plan.faults(Faults.parse(fault, seed));
        }
        String token = BearerToken.read(tokenFile);
        if (token != null) {
            plan = plan.token(token);
        }
        return manifest ? plan.manifest() : plan;
    }
}

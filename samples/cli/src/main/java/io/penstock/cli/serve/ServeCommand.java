package io.penstock.cli.serve;

import io.penstock.cli.console.Interruption;
import io.penstock.cli.flag.OutputFlags;
import io.penstock.cli.stream.Run;
import io.penstock.cli.stream.StreamFlags;
import io.penstock.serve.BatchServer;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code penstock serve}: the batches of a pipeline over HTTP. */
@Command(
        name = "serve",
        sortOptions = false,
        abbreviateSynopsis = true,
        description = "Serve the batches that stream with the same flags has, over HTTP, until interrupted. The "
                + "first line printed is the address.")
public final class ServeCommand implements Callable<Integer> {

    @Mixin
    private final OutputFlags output = new OutputFlags();

    @Mixin
    private final StreamFlags flags = new StreamFlags();

    @Mixin
    private final ServerFlags serving = new ServerFlags();

    @Override
    public Integer call() {
        try (Interruption interruption = Interruption.watch(() -> {})) {
            try (Run<?> run = output.checked(this::open);
                    BatchServer server = output.checked(() -> serving.start(run))) {
                String address = server.address().toString();
                output.serving(address, address);
                if (run.metrics() != null) {
                    output.err().println("metrics at " + run.metrics());
                }
                serving.end(server, interruption.stop()).block();
            }
            return interruption.ended() ? Interruption.STATUS : 0;
        }
    }

    private Run<?> open() {
        flags.ofStreamAlone().ifPresent(flag -> {
            throw new IllegalArgumentException(
                    flag + " is for stream: here the consumers decide what they take, and hold the tokens");
        });
        serving.check();
        Run<?> run = flags.open();
        try {
            serving.check(run);
            return run;
        } catch (IllegalArgumentException e) {
            run.close();
            throw e;
        }
    }
}

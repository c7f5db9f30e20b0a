package io.penstock.cli.watch;

import io.penstock.cli.console.Interruption;
import io.penstock.cli.console.Output;
import io.penstock.cli.flag.NumberFlag;
import io.penstock.cli.flag.OutputFlags;
import io.penstock.internal.GuardedScheduler;
import io.penstock.page.PageServer;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** {@code penstock watch}: all ranks of a job together. */
@Command(
        name = "watch",
        sortOptions = false,
        abbreviateSynopsis = true,
        description = "Show all ranks and servers of a job together, and name the one that holds the others up. Each "
                + "runs with --metrics-port. Ends with the job.")
public final class WatchCommand implements Callable<Integer> {

    private static final Duration READING = Duration.ofSeconds(1);
    private static final String METERS = "/metrics";
    private static final String EXPECTED = "a port, HOST:PORT or an address was expected, was \"%s\"";

    @Mixin
    private final OutputFlags output = new OutputFlags();

    @Parameters(
            paramLabel = "HOST:PORT",
            arity = "1..*",
            description = "Where each serves its counts: a port of this machine, HOST:PORT, or the address of a page "
                    + "in Prometheus' format.")
    private List<String> places;

    @Option(names = "--every", paramLabel = "SECONDS", defaultValue = "5", converter = NumberFlag.Seconds.class)
    private Integer every;

    @Option(names = "--once")
    private boolean once;

    @Option(names = "--port", paramLabel = "N", converter = NumberFlag.Port.class)
    private @Nullable Integer port;

    @Override
    public Integer call() {
        WatchedJob job = new WatchedJob(places.stream().map(this::address).toList());
        try (Interruption interruption = Interruption.watch(() -> {})) {
            @Nullable JobReport last;
            Integer at = port;
            if (at == null) {
                last = watch(job, interruption.stop());
            } else {
                try (PageServer page = output.checked(
                        () -> PageServer.open(at, "watch", job, Map.of(), Map.of(METERS, job::meters)))) {
                    String address = page.address().toString();
                    output.serving("the page is at %s until the job ends".formatted(address), address);
                    last = watch(job, interruption.stop());
                }
            }
            int status = once && last != null && last.isSilent() ? 1 : 0;
            return interruption.ended() ? Interruption.STATUS : status;
        }
    }

    private URI address(String place) {
        String whole = place.matches("\\d+") ? "127.0.0.1:" + place : place;
        try {
            URI address = new URI(whole.contains("://") ? whole : "http://" + whole);
            if (address.getHost() != null && address.getPort() > 0) {
                return address.getPath().isEmpty() ? address.resolve(METERS) : address;
            }
        } catch (URISyntaxException e) {
            // told below, as an address without a port is
        }
        throw output.wrong(EXPECTED.formatted(place));
    }

    /** Blocks until the job is over, or told to stop; the last report, null if there is none. */
    private @Nullable JobReport watch(WatchedJob job, Mono<Void> stop) {
        Output out = output.out();
        return Flux.interval(Duration.ZERO, READING)
                .onBackpressureDrop()
                .concatMap(tick -> job.read(), 1)
                .takeUntil(JobReport::isOver)
                .buffer(every + (once ? 1 : 0)) // the first reading has no window
                .map(reports -> reports.get(reports.size() - 1))
                .take(once ? 1 : Long.MAX_VALUE)
                .takeUntilOther(stop)
                .publishOn(GuardedScheduler.ELASTIC, 1)
                .doOnNext(report -> (output.json() ? List.of(report.json()) : report.text()).forEach(out::line))
                .blockLast();
    }
}
